import { type FragmentSqlToken as Fragment, sql } from 'slonik'
import Type from 'typebox'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import { MAX_LOOKED_RUNS } from '../../schema/run/run-filters.ts'
import type { RunStatus } from '../../schema/run/run.ts'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { isMonitor } from '../monitors/is-monitor.ts'
import { changedSources } from './changed-runs.ts'
import { type IdBounds, isKeptOf, orderOf, storedRuns } from './stored-runs.ts'

/** Filters of a list of runs. Instants are compared with those of the ids. */
export interface Narrowing {
  readonly isChanged: boolean
  readonly status?: RunStatus | undefined
  readonly fired?: boolean | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Only older runs. */
  readonly before?: string | undefined
  /** Only newer runs: the list begins at the oldest of them. */
  readonly after?: string | undefined
}

interface Narrowed {
  readonly teamId: string
  readonly monitorId: string
  readonly kind: MonitorKind
  readonly narrowing: Narrowing
}

const LOOKED = sql.literalValue(String(MAX_LOOKED_RUNS))
const all = (conditions: readonly Fragment[]) => sql.fragment`${sql.join(conditions, sql.fragment` and `)}`

/** The direction in which a list goes from where it begins. */
export const directionOf = (narrowing: Narrowing): Fragment => orderOf(wayOf(narrowing))

const wayOf = ({ after }: Narrowing) => (after === undefined ? 'desc' : 'asc')

/** Returns the conditions that an id is within the times and behind the positions. An id has no time before 1970. */
function boundsOf({ from, to, before, after }: Narrowing): IdBounds {
  const floor = (at: string) => sql.fragment`(select run_id_floor(greatest(${at}::timestamptz, 'epoch')))`
  return {
    isAbove: (id) =>
      all([
        sql.fragment`true`,
        ...(from === undefined ? [] : [sql.fragment`${id} >= ${floor(from)}`]),
        ...(after === undefined ? [] : [sql.fragment`${id} > ${after}::uuid`]),
      ]),
    isBelow: (id) =>
      all([
        sql.fragment`true`,
        ...(to === undefined ? [] : [sql.fragment`${id} < ${floor(to)}`]),
        ...(before === undefined ? [] : [sql.fragment`${id} < ${before}::uuid`]),
      ]),
  }
}

function isThere(id: Fragment, narrowing: Narrowing): Fragment {
  const { isAbove, isBelow } = boundsOf(narrowing)
  return all([isAbove(id), isBelow(id)])
}

/** Returns the condition of `runs s` that no index knows. */
const isWanted = ({ status, fired }: Narrowing): Fragment =>
  all([
    sql.fragment`true`,
    ...(status === undefined ? [] : [sql.fragment`s.status::text = ${status}`]),
    // As the run shows it (`toRun`).
    ...(fired === undefined ? [] : [sql.fragment`(s.delivery_triggered or s.fired) is not distinct from ${fired}`]),
  ])

/**
 * Returns the statements of at most `limit` stored runs of `m` that are looked at, from where the list begins. A run
 * that fired has found a difference, for which there are indexes. A run that did not succeed is a row of `runs`.
 */
function looksOf(teamId: string, narrowing: Narrowing, limit: Fragment = LOOKED): readonly Fragment[] {
  const { status, isChanged, fired } = narrowing
  if (status === 'running') return []
  const isKept = isKeptOf(teamId)
  const { isAbove, isBelow } = boundsOf(narrowing)
  if (!isChanged && fired !== true && (status === undefined || status === 'success'))
    return [
      storedRuns({
        no: sql.fragment`m.no`,
        isAbove: (id) => all([isKept(id), isAbove(id)]),
        isBelow,
        direction: wayOf(narrowing),
        limit,
      }),
    ]
  const id = sql.fragment`s.id`
  const sources =
    isChanged || fired === true
      ? changedSources(teamId)
      : [sql.fragment`runs s where s.monitor_no = m.no and ${isKept(id)}`]
  return sources.map(
    (source) => sql.fragment`
      select s.* from ${source} and ${isThere(id, narrowing)} order by s.id ${directionOf(narrowing)} limit ${limit}`,
  )
}

/** Runs in progress have found nothing yet, so a list of changes leaves them out. */
const hasWaiting = ({ isChanged, status, fired }: Narrowing): boolean =>
  !isChanged && fired === undefined && (status === undefined || status === 'running')

interface Selected {
  readonly teamId: string
  readonly narrowing: Narrowing
  /** The columns of stored runs `s`. */
  readonly columns: Fragment
  /** Selects the same of runs `w` in progress. */
  readonly waiting: Fragment
  readonly reach: ReturnType<typeof sql.literalValue>
}

/** Returns the statement of narrowed runs of `m`, in no order: at least `reach` from where the list begins. */
export function narrowedRuns({ teamId, narrowing, columns, waiting, reach }: Selected): Fragment {
  const direction = directionOf(narrowing)
  const { status, fired } = narrowing
  // Where each run that is looked at is wanted, no more of them are looked at than are shown.
  const most = status === undefined && fired === undefined ? sql.fragment`least(${LOOKED}::int, ${reach}::int)` : LOOKED
  const parts = [
    sql.fragment`(${waiting} and ${hasWaiting(narrowing)} and ${isThere(sql.fragment`w.id`, narrowing)})`,
    ...looksOf(teamId, narrowing, most).map(
      (looked) => sql.fragment`
        (select ${columns} from (${looked}) s
          where ${isWanted(narrowing)} order by s.id ${direction} limit ${reach})`,
    ),
  ]
  return sql.fragment`${sql.join(parts, sql.fragment` union all `)}`
}

const counted = row({ total: Type.Integer() })

/**
 * Returns how many runs the list has among those that are looked at (`MAX_LOOKED_RUNS`); null when there is no such
 * monitor.
 */
export async function countNarrowedRuns(store: Queryable, query: Narrowed): Promise<number | null> {
  const { teamId, monitorId, kind, narrowing } = query
  const counts = looksOf(teamId, narrowing).map(
    (looked) => sql.fragment`(select count(*) from (${looked}) s where ${isWanted(narrowing)})`,
  )
  const ofWaiting = sql.fragment`
    (select count(*) from checks c cross join lateral unnest(array[c.run_id, c.queued_run_id]) w(id)
      where c.no = m.no and w.id is not null and ${hasWaiting(narrowing)}
        and ${isThere(sql.fragment`w.id`, narrowing)})`
  return store.maybeOneFirst(sql.type(counted)`
    select (${sql.join([ofWaiting, ...counts], sql.fragment` + `)})::int as total
    from monitors m
    where ${isMonitor(teamId, monitorId, kind)}
  `)
}

const found = row({ id: Type.String() })

/** Returns the run at which the look for a list ended, because it had looked at enough; null: it saw the end. */
export async function findEndOfLook(store: Queryable, query: Narrowed): Promise<string | null> {
  const { teamId, monitorId, kind, narrowing } = query
  const direction = directionOf(narrowing)
  const ends = looksOf(teamId, narrowing).map(
    (looked) => sql.fragment`
      (select s.id from (${looked}) s order by s.id ${direction} offset ${LOOKED} - 1 limit 1)`,
  )
  if (ends.length === 0) return null
  return store.maybeOneFirst(sql.type(found)`
    select e.id
    from monitors m cross join lateral (${sql.join(ends, sql.fragment` union all `)}) e
    where ${isMonitor(teamId, monitorId, kind)}
    order by e.id ${direction}
    limit 1
  `)
}
