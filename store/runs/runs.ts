import { type FragmentSqlToken, sql, type ValueExpression } from 'slonik'
import Type from 'typebox'
import { runIdMonitor } from '../../core/run-id.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Queryable } from '../db/client.ts'
import { jsonBytes, valuesOfPage, withBytes } from '../db/listed-bytes.ts'
import { type Page, pageStatement } from '../db/page-statement.ts'
import { row } from '../db/row.ts'
import { isMonitor } from '../monitors/is-monitor.ts'
import { retentionCutoff } from '../quota/pool.ts'
import { changedRuns } from './changed-runs.ts'
import { directionOf, type Narrowing, narrowedRuns } from './narrowed-runs.ts'
import { type ListedRun, listedRun, type RunTexts, runTexts, SEARCH_RUN_COLUMNS } from './run-record.ts'
import { isAny, isKeptOf, LONGEST_STRETCH, storedRun, storedRuns } from './stored-runs.ts'

/** The columns of runs of searches but for the results, which are large. */
const SMALL = Object.entries(SEARCH_RUN_COLUMNS).filter(([name]) => name !== 'organic_results')
const small = (source: 'r' | 's') =>
  sql.join(
    SMALL.map(([name]) => sql.fragment`${sql.identifier([source, name])}`),
    sql.fragment`, `,
  )
const NONE = sql.join(
  SMALL.map(([name, type]) => sql.fragment`null::${sql.identifier([type])} as ${sql.identifier([name])}`),
  sql.fragment`, `,
)

/** Columns of `monitors m join lateral (…) r` but for the values. */
const HEAD_COLUMNS = sql.fragment`
  r.id, m.id as monitor_id, m.name as monitor_name, m.user_id, r.status, r.start_offset_ms, r.duration_ms,
  r.fetch_method, r.fetch_reason, r.without_media, r.fired, r.delivery_triggered, r.held, r.error_code,
  r.error_message, m.kind, m.mode,
  ${small('r')},
  (select v.change_pct from run_images v where v.monitor_no = m.no and v.run_id = r.id) as visual_change_pct`

const STORED = sql.fragment`
  s.id, s.status::text as status, s.start_offset_ms, s.duration_ms, s.fetch_method::text as fetch_method,
  s.fetch_reason::text as fetch_reason, s.without_media, s.fired, s.delivery_triggered, s.held, s.reading_id,
  s.extracted, s.diff, s.error_code, s.error_message, s.warnings, s.organic_results, ${small('s')}`

/**
 * Selects a run that is claimed or queued. It has no row yet, so it is read from its check (`no` is the monitor's
 * number).
 */
const waiting = (no: ReturnType<typeof sql.fragment>) => sql.fragment`
  select w.id, 'running' as status, 0 as start_offset_ms, 0 as duration_ms, null::text as fetch_method,
    null::text as fetch_reason, null::boolean as without_media, null::boolean as fired, false as delivery_triggered,
    null::text as held,
    null::uuid as reading_id, null::json as extracted, null::json as diff, null::text as error_code,
      null::text as error_message,
    null::json as warnings, null::json as organic_results, ${NONE}
  from checks c cross join lateral unnest(array[c.run_id, c.queued_run_id]) w(id)
  where c.no = ${no} and w.id is not null`

/** The filter of a list of runs, and the page. */
interface RunQuery extends Page {
  readonly teamId: string
  readonly monitorId: string
  /** The kind of the monitor. */
  readonly kind: MonitorKind
  /** Only runs that found a difference. Default: all, those in progress too. */
  readonly isChanged?: boolean
}

/** Joins the reading of each run in `r`, of the monitor `no`, and selects what the run shows of it. */
const withReading = (no: FragmentSqlToken) => sql.fragment`
  left join lateral (
    select s.extracted, s.organic_results from runs s where s.monitor_no = ${no} and s.id = r.reading_id
  ) reading on true
  cross join lateral (
    select case when r.reading_id is null then r.extracted else reading.extracted end as extracted,
      case when r.reading_id is null then r.organic_results else reading.organic_results end as organic_results
  ) shown`

const RUN_BYTES = sql.fragment`${sql.join(
  ['extracted', 'organic_results', 'diff', 'warnings'].map((column) =>
    jsonBytes(sql.fragment`${sql.identifier(['r', column])}`),
  ),
  sql.fragment` + `,
)}`

/** Runs `r` of `source`, each with its values and their bytes. */
const runsWithBytes = (source: FragmentSqlToken, no: FragmentSqlToken, limit: ValueExpression) =>
  withBytes('r', {
    limit,
    bytes: RUN_BYTES,
    rows: sql.fragment`
      select r.id, r.status, r.start_offset_ms, r.duration_ms, r.fetch_method, r.fetch_reason, r.without_media,
        r.fired, r.delivery_triggered, r.held, r.error_code, r.error_message, ${small('r')}, r.diff, r.warnings,
        shown.extracted, shown.organic_results
      from (${source}) r
      ${withReading(no)}`,
  })

/** Columns of `m` and `r`. The values are null where they are too large for one answer. */
const SHOWN_COLUMNS = sql.fragment`
  ${HEAD_COLUMNS}, r.bytes, r.page_bytes, ${valuesOfPage('r', ['extracted', 'diff', 'warnings', 'organic_results'])}`

/**
 * Returns a run of the team inside its retention window, or null. Runs of deleted monitors too. Without values where
 * they are too large for one answer.
 */
export async function findRun(store: Queryable, teamId: string, id: string): Promise<ListedRun | null> {
  const no = sql.fragment`m.no`
  const run = sql.fragment`
    select ${STORED} from (${storedRun(no, sql.fragment`${id}::uuid`)}) s
    union all
    (${waiting(no)} and w.id = ${id}::uuid)
    limit 1`
  return store.maybeOne(sql.prepared('find_run', listedRun)`
    select ${SHOWN_COLUMNS}
    from monitors m cross join lateral ${runsWithBytes(run, no, 1)}
    where m.no = ${runIdMonitor(id)} and m.team_id = ${teamId}::uuid
      and r.id >= run_id_floor(${retentionCutoff(teamId)})
  `)
}

/**
 * Returns a page of a monitor's runs, newest first, including those in progress. Without values where they are too
 * large for one answer. The list is also empty when there is no such monitor; `countRuns` distinguishes the two.
 */
export async function listRuns(store: Queryable, query: RunQuery): Promise<readonly ListedRun[]> {
  const { teamId, isChanged = false } = query
  const name = isChanged ? 'list_changed_runs' : 'list_runs'
  const { typed, limit, offset, reach } = pageStatement(name, listedRun, query)
  const wanted = isChanged
    ? changedRuns(STORED, teamId, reach)
    : sql.fragment`
            (${waiting(sql.fragment`m.no`)})
            union all
            (select ${STORED} from (${storedRuns({
              no: sql.fragment`m.no`,
              isAbove: isKeptOf(teamId),
              isBelow: isAny,
              direction: 'desc',
              limit: reach,
            })}) s)`
  return store.any(typed`${shownRuns(query, { wanted, direction: sql.fragment`desc`, limit, offset })}`)
}

/** Does the same for runs that are narrowed. */
export async function listNarrowedRuns(
  store: Queryable,
  query: RunQuery & { readonly narrowing: Narrowing },
): Promise<readonly ListedRun[]> {
  const { teamId, narrowing } = query
  const { limit, offset, reach } = pageStatement('narrowed_runs', listedRun, query)
  const columns = { columns: STORED, waiting: waiting(sql.fragment`m.no`) }
  const wanted = narrowedRuns({ teamId, narrowing, reach, ...columns })
  // Each combination of filters is another statement, and none of them is prepared.
  return store.any(
    sql.type(listedRun)`${shownRuns(query, { wanted, direction: directionOf(narrowing), limit, offset })}`,
  )
}

interface Wanted {
  readonly wanted: FragmentSqlToken
  readonly direction: FragmentSqlToken
  readonly limit: ReturnType<typeof sql.literalValue>
  readonly offset: ReturnType<typeof sql.literalValue>
}

/** Selects the page of the wanted runs of a monitor, from where they begin, the newest first. */
const shownRuns = ({ teamId, monitorId, kind }: RunQuery, { wanted, direction, limit, offset }: Wanted) => sql.fragment`
    with m as materialized (
      select m.no, m.id, m.name, m.user_id, m.kind, m.mode from monitors m
      where ${isMonitor(teamId, monitorId, kind)}
    )
    select ${SHOWN_COLUMNS}
    from m
    cross join lateral ${runsWithBytes(
      sql.fragment`
        select * from (${wanted}) wanted
        order by id ${direction}
        limit ${limit} offset ${offset}`,
      sql.fragment`m.no`,
      limit,
    )}
    order by r.id desc
  `

/**
 * Returns the values of stored runs of one monitor by their ids, in no order. A run that retention has deleted is
 * missing.
 */
export async function readRunTexts(store: Queryable, ids: readonly string[]): Promise<readonly RunTexts[]> {
  const [first] = ids
  if (first === undefined) return []
  const no = sql.fragment`${runIdMonitor(first)}::bigint`
  return store.any(sql.type(runTexts)`
    select r.id, shown.extracted::text as extracted, r.diff::text as diff, r.warnings::text as warnings,
      shown.organic_results::text as organic_results
    from unnest(${sql.array([...ids], 'uuid')}) wanted (id)
    cross join lateral (${storedRun(no, sql.fragment`wanted.id`)}) r ${withReading(no)}
  `)
}

const counted = row({ total: Type.Integer() })

/**
 * Returns the length of a monitor's list of runs; null when there is no such monitor. The check has a counter, and so
 * has retention. Only runs that are hidden and not deleted yet are counted here, so that no list counts a million rows.
 */
export async function countRuns(
  store: Queryable,
  teamId: string,
  monitorId: string,
  kind: MonitorKind,
): Promise<number | null> {
  const cutoff = retentionCutoff(teamId)
  return store.maybeOneFirst(sql.prepared('count_runs', counted)`
    select greatest(c.runs_total - coalesce((select f.count from forgotten_runs f where f.no = c.no), 0) - (
        select count(*) from runs s where s.monitor_no = m.no and s.id < run_id_floor(${cutoff})
      ) - (
        select count(*) from run_stretches t cross join lateral unnest(t.ids) i (id)
        where t.monitor_no = m.no and t.last_id < (select run_id_floor(${cutoff} + ${LONGEST_STRETCH}))
          and i.id < (select run_id_floor(${cutoff}))
      ), 0) + (c.run_id is not null)::int + (c.queued_run_id is not null)::int as total
    from monitors m join checks c on c.no = m.no
    where ${isMonitor(teamId, monitorId, kind)}
  `)
}
