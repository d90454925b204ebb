import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { WORK_LEVEL } from '../../schema/level.ts'
import type { Queryable } from '../db/client.ts'
import { rowOf } from '../db/row.ts'
import { GIVEN_UP } from '../deliveries/given-up.ts'
import { WAITING_ASKED } from '../queue/asked.ts'
import { ownLevels } from '../queue/own-levels.ts'
import { poolOf } from '../quota/pool.ts'
import { CHECKS_ABOVE, MESSAGES_ABOVE } from './above-level.ts'
import { UNRENDERED } from './unrendered.ts'

/** The counts stop here, so that the cost of a scrape does not grow with the backlog. */
export const MAX_COUNTED = 10_000

const Seconds = Type.Number()
const Backlog = Type.Object({
  /** Due checks that are not leased, of teams that have runs left. */
  checks_due: Type.Integer(),
  /** Seconds since the oldest due check became due. 0: no check is due. */
  oldest_check_seconds: Seconds,
  /** Checks that have waited for a browser for ten minutes while nobody renders pages (`UNRENDERED`). */
  checks_unrendered: Type.Integer(),
  /** Checks that have waited for ten minutes, and whose level no process has (`noteAboveLevel`). */
  checks_above_level: Type.Integer(),
  /** Deliveries and notices that have. */
  messages_above_level: Type.Integer(),
  /** Previews that wait for a runner. */
  previews_waiting: Type.Integer(),
  /** Deliveries whose next attempt is due, scheduled or in progress. */
  deliveries_waiting: Type.Integer(),
  deliveries_due: Type.Integer(),
  oldest_delivery_seconds: Seconds,
  /** Deliveries whose last attempt was in the last 24 hours, and that are not tried again. */
  deliveries_given_up: Type.Integer(),
  /** Those of them whose six attempts failed. */
  deliveries_dead: Type.Integer(),
  /** Teams that have used 80 percent of their runs, but not all. */
  teams_near_limit: Type.Integer(),
  /** Teams that have used all of a pool, and have no credits. */
  teams_used_up: Type.Integer(),
  /** Teams whose trial has ended, and that have no plan. */
  trials_over: Type.Integer(),
})
/** The work that waits in the store. Each count is at most `MAX_COUNTED`. */
export type Backlog = Static<typeof Backlog>
const backlog = rowOf(Backlog)

const counted = (rows: ReturnType<typeof sql.fragment>) =>
  sql.fragment`(select count(*) from (${rows} limit ${MAX_COUNTED}) counted)`
const secondsSince = (instant: ReturnType<typeof sql.fragment>) =>
  sql.fragment`coalesce(extract(epoch from (select at from t) - (${instant})), 0)::float8`

/** Returns the amount of waiting work, read from the ends of the queues' own indexes. */
export const readBacklog = (store: Queryable): Promise<Backlog> =>
  store.one(sql.type(backlog)`
    with t as materialized (select clock() as at),
    -- A team without runs left is not late: its checks wait for the next period.
    payable as materialized (
      select u.team_id, q.queue
      from team_usage u cross join unnest(enum_range(null::check_queue)) q (queue) ${poolOf(sql.fragment`q.queue`)}
      where pool.remaining > 0
      limit ${4 * MAX_COUNTED}
    ),
    first as materialized (
      select payable.*, own.level, c.due_at from payable cross join ${ownLevels(WORK_LEVEL)} cross join lateral (
        select due_at from checks
        where team_id = payable.team_id and queue = payable.queue and level = own.level
          and due_at <= (select at from t)
        order by due_at limit 1
      ) c
    )
    select
      ${counted(sql.fragment`
        select from first cross join lateral (
          select from checks
          where team_id = first.team_id and queue = first.queue and level = first.level
            and due_at <= (select at from t)
          limit ${MAX_COUNTED}
        ) c`)} as checks_due,
      ${secondsSince(sql.fragment`select min(due_at) from first`)} as oldest_check_seconds,
      (select count(*) from (${UNRENDERED}) late) as checks_unrendered,
      ${counted(CHECKS_ABOVE)} as checks_above_level,
      ${counted(MESSAGES_ABOVE)} as messages_above_level,
      ${counted(sql.fragment`select from (${WAITING_ASKED}) a`)} as previews_waiting,
      ${counted(sql.fragment`select from deliveries where due_at is not null`)} as deliveries_waiting,
      ${counted(sql.fragment`select from deliveries where due_at <= (select at from t)`)} as deliveries_due,
      ${secondsSince(sql.fragment`
        select due_at from deliveries where due_at <= (select at from t) order by due_at
          limit 1`)} as oldest_delivery_seconds,
      ${counted(sql.fragment`
        select from deliveries
        where ${GIVEN_UP}
          and last_attempt_at > (select at from t) - interval '1 day'`)} as deliveries_given_up,
      ${counted(sql.fragment`
        select from deliveries
        where status = 'dead' and last_attempt_at > (select at from t) - interval '1 day'`)} as deliveries_dead,
      ${counted(sql.fragment`
        select from team_usage where pool_level(runs_used, runs_limit) = 80`)} as teams_near_limit,
      ${counted(sql.fragment`select from team_usage where is_used_up`)} as teams_used_up,
      ${counted(sql.fragment`select from teams where trial_over`)} as trials_over`)
