import { sql } from 'slonik'
import Type from 'typebox'
import { DIGEST_SECONDS } from '../../schema/monitor/digest.ts'
import { DELIVERY_DELAYS_SECONDS } from '../../schema/run/delivery.ts'
import type { Queryable, Store } from '../db/client.ts'
import { row } from '../db/row.ts'

const instant = row({ ms: Type.Number() })
const pulled = row({ checks: Type.Integer(), deliveries: Type.Integer() })

/** Returns the current time by the store's clock, in milliseconds since the epoch. */
export async function storeTime(store: Queryable): Promise<number> {
  const { ms } = await store.one(
    sql.prepared('store_time', instant)`select (extract(epoch from clock()) * 1000)::float8 as ms`,
  )
  return ms
}

/** Facts about the jump of the clock. */
interface ClockBack {
  readonly leaseSeconds: number
  /**
   * The jump was observed. Otherwise the end of the jump may have passed while no process observed it, and only times
   * that no schedule and no lease explains are changed.
   */
  readonly isCertain: boolean
}

/**
 * Times that exceed the expected time by no more than this are not moved: statements have different ages, and leases
 * end a little apart.
 */
const SLACK_SECONDS = 30
/** The longest lease that can be set (schema/config/config.ts). */
const LONGEST_LEASE_SECONDS = 3600
const DAY_SECONDS = 86_400
/** A digest of one day of the week, or of so many seconds, whose time lies in quiet hours. */
const LONGEST_HOLD_SECONDS = Math.max(DIGEST_SECONDS.most, 8 * DAY_SECONDS) + DAY_SECONDS
/** A mute ends at any time, at most a day before retention. A number of seconds is an `int4`. */
const LONGEST_MUTE_SECONDS = 60 * 365 * DAY_SECONDS
const LONGEST_DELAY_SECONDS = Math.max(...DELIVERY_DELAYS_SECONDS)

/**
 * Seconds by which a message in `d` may lie further ahead than its schedule says: it is held, or its next attempt waits
 * for the end of quiet hours. At level 1 it knows neither. A lease does not hold a message, and a last attempt in
 * the future proves a jump.
 */
const HELD_SECONDS = sql.fragment`
  case when d.due_at is distinct from d.next_attempt_at then 0
    when d.held = 'muted' and d.attempts = 0 then ${LONGEST_MUTE_SECONDS}
    when d.held is not null and d.attempts = 0 then ${LONGEST_HOLD_SECONDS}
    when d.level > 1 and d.attempts > 0 and d.last_attempt_at <= clock() then ${DAY_SECONDS} else 0 end`

/**
 * Reschedules work after the clock was set back. Times that were scheduled before lie hours ahead then, and monitors
 * would not run until those times. Checks that lie further ahead than their schedule explains move to a random time in
 * the interval that begins now, so that they do not all run at once. Leases and delivery attempts move to the time at
 * which they would end if they began now. A held message keeps its time, unless no hold explains that. The function may
 * run twice without harm. It reads every row, because the event is rare. Returns how many it moved: none while another
 * process runs it.
 */
export async function pullBack(
  store: Store,
  { leaseSeconds, isCertain }: ClockBack,
): Promise<{ readonly checks: number; readonly deliveries: number }> {
  const lease = isCertain ? leaseSeconds : LONGEST_LEASE_SECONDS
  return store.one(sql.type(pulled)`
    with t as materialized (
      select clock() as at, clock() + make_interval(secs => ${lease}) as lease_end,
        clock() + make_interval(secs => ${SLACK_SECONDS}) as soon,
        make_interval(secs => ${SLACK_SECONDS}) as slack
      where pg_try_advisory_xact_lock(hashtext('tidemark.clock_back'))
    ),
    astray as materialized (
      select no, is_ahead, at + make_interval(secs => random() * interval_seconds) as next_at, lease_end, soon, at
      from (
        select c.*, t.*,
          -- A check that failed may wait longer, because its site asked for it (Retry-After, at most a day).
          coalesce(next_run_at > soon + make_interval(secs => interval_seconds + shift_seconds)
            and (failures = 0 or last_run_at > at or ${isCertain}), false) as is_ahead
        from checks c, t
        where c.due_at > t.soon or c.next_run_at > t.soon
      ) c
      where is_ahead or (run_id is not null and due_at > lease_end + slack) or (run_id is null
        and queued_run_id is not null)
    ),
    moved as (
      update checks c
      set next_run_at = case when a.is_ahead then a.next_at else c.next_run_at end,
        due_at = case
          when c.due_at is null then null
          when c.run_id is not null then least(c.due_at, a.lease_end)
          when c.queued_run_id is not null then a.at
          when a.is_ahead then a.next_at
          else c.due_at end
      from astray a
      where c.no = a.no
      returning c.no
    ),
    late as materialized (
      -- The due time is the time of the next attempt, or the end of a lease.
      select id, at + case when due_at = next_attempt_at then make_interval(secs => delay)
        else lease_end - at end as due
      from (
        select d.*, t.*, (${sql.array([...DELIVERY_DELAYS_SECONDS], 'int4')})[d.attempts + 1] as delay,
          make_interval(secs => ${HELD_SECONDS}) as hold
        from deliveries d, t
        where d.due_at > t.soon
      ) d
      where due_at > greatest(at + make_interval(secs => delay) + hold, lease_end) + slack
    ),
    -- Notices are few: one that lies further ahead than its schedule allows is sent at once.
    noticed as (
      update notices d set due_at = t.at, next_attempt_at = t.at from t
      where d.due_at > t.soon + make_interval(secs => ${LONGEST_DELAY_SECONDS} + ${HELD_SECONDS})
    ),
    events as (update notice_events e set due_at = t.at from t where e.due_at > t.soon),
    sooner as (
      update deliveries d
      set due_at = l.due, next_attempt_at = least(d.next_attempt_at, l.due)
      from late l
      where d.id = l.id and d.due_at is not null
      returning d.id
    )
    select (select count(*) from moved)::int4 as checks, (select count(*) from sooner)::int4 as deliveries
  `)
}
