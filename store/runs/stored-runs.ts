import { type FragmentSqlToken as Fragment, sql } from 'slonik'
import { retentionCutoff } from '../quota/pool.ts'
import { SEARCH_RUN_COLUMNS } from './run-record.ts'

/** The columns of `runs` that are null in each run of a stretch, with their types. */
const ABSENT = {
  held: 'text',
  extracted: 'json',
  diff: 'json',
  error_code: 'text',
  error_message: 'text',
  warnings: 'json',
  text_before: 'bytea',
  text_after: 'bytea',
  ...SEARCH_RUN_COLUMNS,
  change: 'json',
} as const
/** The other ones. */
const PRESENT = [
  'monitor_no',
  'team_id',
  'id',
  'reading_id',
  'start_offset_ms',
  'duration_ms',
  'status',
  'fetch_method',
  'fetch_reason',
  'without_media',
  'fired',
  'delivery_triggered',
] as const

const COLUMNS = sql.join(
  [...PRESENT, ...Object.keys(ABSENT)].map((name) => sql.identifier([name])),
  sql.fragment`, `,
)
const NONE = sql.join(
  Object.entries(ABSENT).map(
    ([name, type]) => sql.fragment`null::${sql.identifier([type])} as ${sql.identifier([name])}`,
  ),
  sql.fragment`, `,
)

/** The condition that a run of `runs r` has no column that a stretch does not have. */
export const FITS_A_STRETCH = sql.fragment`num_nonnulls(${sql.join(
  Object.keys(ABSENT).map((name) => sql.fragment`${sql.identifier(['r', name])}`),
  sql.fragment`, `,
)}) = 0`

/** A stretch never goes beyond a day, so what begins later than that holds no run of an id. */
export const LONGEST_STRETCH = sql.fragment`interval '1 day'`

/** Selects those runs of stretches that a condition leaves, with the columns of `runs`. */
const unfolded = (stretches: Fragment, runs: Fragment): Fragment => sql.fragment`
  select t.monitor_no, t.team_id, u.id, t.reading_id, u.start_offset_ms, u.duration_ms,
    'success'::run_status as status, t.fetch_method, t.fetch_reason, t.without_media, t.fired,
    false as delivery_triggered, ${NONE}
  from (${stretches}) t
  cross join lateral (
    select * from unnest(t.ids, t.start_offsets_ms, t.durations_ms) u (id, start_offset_ms, duration_ms)
    where ${runs}
  ) u`

/**
 * Returns the stored run of an id, as a statement of no row or one: it is a row of `runs`, or one of a stretch.
 *
 * @param no the number of its monitor
 */
export const storedRun = (no: Fragment, id: Fragment): Fragment => sql.fragment`
  select ${COLUMNS} from runs where monitor_no = ${no} and id = ${id}
  union all
  ${unfolded(
    sql.fragment`
      select * from run_stretches
      where monitor_no = ${no} and first_id <= ${id} and last_id >= ${id}
        and last_id < run_id_floor(run_id_time(${id}) + ${LONGEST_STRETCH})`,
    sql.fragment`u.id = ${id}`,
  )}`

/** The direction of an order as SQL writes it. */
export const orderOf = (direction: 'asc' | 'desc'): Fragment =>
  direction === 'asc' ? sql.fragment`asc` : sql.fragment`desc`

/** Conditions of an id. */
export interface IdBounds {
  /** That it is not below the smallest one. */
  readonly isAbove: (id: Fragment) => Fragment
  /** That it is not beyond the largest one. */
  readonly isBelow: (id: Fragment) => Fragment
}

/**
 * Returns the condition that a run is inside the retention window of its team. A subquery computes its beginning once,
 * and not for each run of a stretch.
 */
export const isKeptOf =
  (teamId: string) =>
  (id: Fragment): Fragment =>
    sql.fragment`${id} >= (select run_id_floor(${retentionCutoff(teamId)}))`

/** The condition that has no bound. */
export const isAny = (): Fragment => sql.fragment`true`

interface Within extends IdBounds {
  /** The number of the monitor. */
  readonly no: Fragment
  readonly direction: 'asc' | 'desc'
  /** How many are wanted. */
  readonly limit: Fragment
  /** Only those that succeeded. */
  readonly isSuccess?: true
}

/**
 * Returns the statement of the first `limit` stored runs of a monitor inside bounds, in their order: rows of `runs`,
 * and those of stretches.
 */
export function storedRuns({ no, isAbove, isBelow, direction, limit, isSuccess }: Within): Fragment {
  const order = orderOf(direction)
  const id = sql.fragment`id`
  const isWithin = sql.fragment`${isAbove(id)} and ${isBelow(id)}`
  // No stretch of a monitor reaches into another one. So their runs come in order, and as many as are wanted are read.
  const folded = unfolded(
    sql.fragment`
      select * from run_stretches
      where monitor_no = ${no} and ${isAbove(sql.fragment`last_id`)} and ${isBelow(sql.fragment`first_id`)}
      order by last_id ${order}`,
    sql.fragment`${isWithin} order by u.id ${order}`,
  )
  return sql.fragment`
    select * from (
      (select ${COLUMNS} from runs
        where monitor_no = ${no} and ${isWithin} ${isSuccess ? sql.fragment`and status = 'success'` : sql.fragment``}
        order by id ${order} limit ${limit})
      union all
      (${folded} limit ${limit})
    ) stored
    order by id ${order} limit ${limit}`
}
