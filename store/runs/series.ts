import { type FragmentSqlToken as Fragment, sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { MonitorSummary } from '../../core/overview/monitor-summary.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { RunFaultCode } from '../../schema/run/run-fault.ts'
import { MAX_SERIES, MAX_SERIES_RUNS, MAX_SERIES_STEPS } from '../../schema/run/series.ts'
import type { Queryable } from '../db/client.ts'
import { row, rowOf } from '../db/row.ts'
import { isMonitor } from '../monitors/is-monitor.ts'
import type { SeriesTable } from './series-table.ts'
import { seriesWindow } from './series-window.ts'
import { type IdBounds, isKeptOf, orderOf, storedRuns } from './stored-runs.ts'

const STEPS = sql.literalValue(String(MAX_SERIES_STEPS))
const RUNS = sql.literalValue(String(MAX_SERIES_RUNS))
/** One more than what begins and ends the most stretches. */
const TURNS = sql.literalValue(String(2 * MAX_SERIES + 1))
const STRETCHES = sql.literalValue(String(MAX_SERIES))
const TextOrNull = Type.Union([Type.String(), Type.Null()])
/** When the run of an id ended. */
const ENDED = sql.fragment`s.start_offset_ms + s.duration_ms as ended_ms`

const SeriesHead = Type.Object({
  no: Type.Integer(),
  /** The fields of the last reading with their values as JSON, of which those are numbers that read as one. */
  values: Type.Unsafe<readonly (readonly [string, string])[] | null>({}),
  spark: Type.Unsafe<MonitorSummary['spark'] | null>({}),
  /** The run ids between which the series lies: `from` and `to`, within the plan's window. */
  first_id: Type.String(),
  end_id: Type.String(),
  /** The run at which the look for failures ends. Null: it sees all. */
  looked_id: TextOrNull,
})
export type SeriesHead = Static<typeof SeriesHead>
const seriesHead = rowOf(SeriesHead)

interface SeriesQuery {
  readonly teamId: string
  readonly monitorId: string
  readonly kind: MonitorKind
  readonly from: string | undefined
  readonly to: string | undefined
}

/** Returns what the series of a monitor is read by. Null: there is no such monitor. */
export async function findSeriesHead(
  store: Queryable,
  { teamId, monitorId, kind, from, to }: SeriesQuery,
  table: SeriesTable,
): Promise<SeriesHead | null> {
  return store.maybeOne(sql.type(seriesHead)`
    with m as materialized (
      select m.no, m.kind, m.target_domain, m.mode,
        ${seriesWindow({ teamId, from, to })}
      from monitors m where ${isMonitor(teamId, monitorId, kind)}
    )
    select m.no, ${table.values} as values, b.summary -> 'spark' as spark, m.first_id, m.end_id,
      (select s.id from (${lastRuns(sql.fragment`m.no`, {
        isAbove: (id) => sql.fragment`${id} >= m.first_id`,
        isBelow: (id) => sql.fragment`${id} < m.end_id`,
      })}) s order by s.id desc offset ${RUNS} - 1 limit 1) as looked_id
    from m left join baselines b on b.no = m.no
  `)
}

/** Selects as many of the last stored runs of a monitor as are looked at. */
const lastRuns = (no: Fragment, bounds: IdBounds): Fragment =>
  storedRuns({ no, ...bounds, direction: 'desc', limit: RUNS })

/** The runs of a series, and the field. */
interface SeriesRuns {
  readonly head: SeriesHead
  readonly teamId: string
  readonly field: string
}

const found = row({
  id: Type.String(),
  ended_ms: Type.Integer(),
  /** The value of the field as JSON. Null: the run says nothing of it. */
  value: TextOrNull,
})
type Found = Readonly<{ id: string; ended_ms: number; value: string | null }>

/** Returns the last run before the series that succeeded, or else the first one of it. Null: there is none. */
export async function findSeriesStart(
  store: Queryable,
  { head: { no, first_id, end_id }, teamId, field }: SeriesRuns,
  table: SeriesTable,
): Promise<Found | null> {
  const near = (bounds: IdBounds, direction: 'asc' | 'desc') => sql.fragment`
    select s.* from (
      ${storedRuns({ no: sql.fragment`${no}::bigint`, ...bounds, direction, limit: STEPS })}
    ) s where s.status = 'success' order by s.id ${orderOf(direction)} limit 1`
  const before = {
    isAbove: isKeptOf(teamId),
    isBelow: (id: Fragment) => sql.fragment`${id} < ${first_id}::uuid`,
  }
  return store.maybeOne(sql.type(found)`
    select s.id, ${ENDED}, ${table.valueOf(field)} as value
    from ((${near(before, 'desc')}) union all (${near(windowOf({ first_id, end_id }), 'asc')})) s
    left join runs reading on reading.monitor_no = s.monitor_no and reading.id = s.reading_id
    order by s.id limit 1
  `)
}

const windowOf = ({ first_id, end_id }: Pick<SeriesHead, 'first_id' | 'end_id'>): IdBounds => ({
  isAbove: (id) => sql.fragment`${id} >= ${first_id}::uuid`,
  isBelow: (id) => sql.fragment`${id} < ${end_id}::uuid`,
})

const step = row({
  id: Type.String(),
  ended_ms: Type.Integer(),
  value: TextOrNull,
  is_change: Type.Boolean(),
})

/** Returns the runs of a series that say something of the field, or that found a difference; the newest first. */
export async function listSeriesSteps(
  store: Queryable,
  { head: { no, first_id, end_id }, field }: SeriesRuns,
  table: SeriesTable,
) {
  const isThere = sql.fragment`
    s.monitor_no = ${no} and s.id >= ${first_id}::uuid and s.id < ${end_id}::uuid`
  const most = sql.literalValue(String(table.mostSteps(field)))
  const sources = table.sources(isThere, field).map(
    ({ from, value, isChange }) => sql.fragment`
      (select s.id, ${ENDED}, ${value} as value, ${isChange} as is_change
        from ${from} order by s.id desc limit ${most})`,
  )
  return store.any(sql.type(step)`
    select * from (${sql.join(sources, sql.fragment` union all `)}) s
    order by s.id desc limit ${most}
  `)
}

const turn = row({
  id: Type.String(),
  ended_ms: Type.Integer(),
  code: Type.Unsafe<RunFaultCode | null>({}),
})

/**
 * Returns the runs at which checks began to fail, to fail for another reason, or to succeed; the newest first. No index
 * knows how runs ended, so it goes along the last ones.
 */
export async function listSeriesTurns(store: Queryable, { no, first_id, end_id }: SeriesHead) {
  return store.any(sql.type(turn)`
    select s.id, ${ENDED}, s.code
    from (
      select s.*, lag(s.code) over (order by s.id) as code_before
      from (
        select s.id, s.start_offset_ms, s.duration_ms, s.status,
          case when s.status = 'error' then coalesce(s.error_code, 'internal') end as code
        from (${lastRuns(sql.fragment`${no}::bigint`, windowOf({ first_id, end_id }))}) s
      ) s
      where s.status <> 'skipped'
    ) s
    where s.code is distinct from s.code_before
    order by s.id desc limit ${TURNS}
  `)
}

const BooleanOrNull = Type.Union([Type.Boolean(), Type.Null()])
const shownBlocks = row({
  id: Type.String(),
  ended_ms: Type.Integer(),
  ai_overview: BooleanOrNull,
  featured_snippet: BooleanOrNull,
})

/** Returns the runs of a search at which a block beside the results came or went; the newest first. */
export async function listShownBlocks(store: Queryable, { no, first_id, end_id }: SeriesHead) {
  return store.any(sql.type(shownBlocks)`
    select s.id, ${ENDED}, s.ai_overview_present as ai_overview, s.featured_snippet_present as featured_snippet
    from (
      select s.*, lag(s.id) over o as id_before, lag(s.ai_overview_present) over o as ai_before,
        lag(s.featured_snippet_present) over o as snippet_before
      from (
        select s.id, s.start_offset_ms, s.duration_ms, s.status, s.ai_overview_present, s.featured_snippet_present
        from runs s
        where s.monitor_no = ${no} and s.id >= ${first_id}::uuid and s.id < ${end_id}::uuid
        order by s.id desc limit ${RUNS}
      ) s
      where s.status = 'success'
      window o as (order by s.id)
    ) s
    where s.id_before is null or s.ai_overview_present is distinct from s.ai_before
      or s.featured_snippet_present is distinct from s.snippet_before
    order by s.id desc limit ${STRETCHES}
  `)
}
