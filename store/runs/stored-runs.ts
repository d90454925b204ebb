import { type FragmentSqlToken as Fragment, sql } from 'slonik'

/** The columns of `runs` that a run of `run_stretches` has none of, with their types. */
const ABSENT = {
  held: 'text',
  extracted: 'json',
  diff: 'json',
  error_code: 'text',
  error_message: 'text',
  warnings: 'json',
  text_before: 'bytea',
  text_after: 'bytea',
  organic_results: 'json',
  target_rank: 'int4',
  rank_delta: 'int4',
  ai_overview_present: 'bool',
  featured_snippet_present: 'bool',
  serp_check: 'json',
  change: 'json',
} as const
/** Those that it has. */
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

/** A stretch never goes beyond a day, so what begins later than that holds no run of an id. */
const LONGEST_STRETCH = sql.fragment`interval '1 day'`

/** Runs of some stretches `t`, with the columns of `runs`. */
const unfolded = (stretches: Fragment): Fragment => sql.fragment`
  select t.monitor_no, t.team_id, u.id, t.reading_id, u.start_offset_ms, u.duration_ms,
    'success'::run_status as status, t.fetch_method, t.fetch_reason, t.without_media, t.fired,
    false as delivery_triggered, ${NONE}
  from (${stretches}) t
  cross join lateral unnest(t.ids, t.start_offsets_ms, t.durations_ms) u (id, start_offset_ms, duration_ms)`

/**
 * Returns the stored run of an id, as a statement of no row or one: it is a row of `runs`, or one of a stretch.
 *
 * @param no the number of its monitor
 */
export const storedRun = (no: Fragment, id: Fragment): Fragment => sql.fragment`
  select ${COLUMNS} from runs where monitor_no = ${no} and id = ${id}
  union all
  select * from (${unfolded(sql.fragment`
    select * from run_stretches
    where monitor_no = ${no} and first_id <= ${id} and last_id >= ${id}
      and last_id < run_id_floor(run_id_time(${id}) + ${LONGEST_STRETCH})`)}) folded
  where folded.id = ${id}`

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
  // Each has a run inside the bounds, but for one that goes beyond both. So the first runs are in the first stretches.
  const edge = direction === 'asc' ? sql.fragment`first_id` : sql.fragment`last_id`
  const stretches = sql.fragment`
    select * from run_stretches
    where monitor_no = ${no} and ${isAbove(sql.fragment`last_id`)} and ${isBelow(sql.fragment`first_id`)}
    order by ${edge} ${order} limit ${limit} + 1`
  return sql.fragment`
    select * from (
      (select ${COLUMNS} from runs
        where monitor_no = ${no} and ${isWithin} ${isSuccess ? sql.fragment`and status = 'success'` : sql.fragment``}
        order by id ${order} limit ${limit})
      union all
      (select * from (${unfolded(stretches)}) folded where ${isWithin} order by id ${order} limit ${limit})
    ) stored
    order by id ${order} limit ${limit}`
}
