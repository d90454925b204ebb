import Type from 'typebox'
import { sql } from 'slonik'
import { DELIVERY_DELAYS_SECONDS } from '../../schema/run/delivery.ts'
import type { Store } from '../db/client.ts'
import { row } from '../db/row.ts'

const instant = row({ ms: Type.Number() })
const pulled = row({ checks: Type.Integer(), deliveries: Type.Integer() })

/** Now by the store's clock, in milliseconds since the epoch. */
export async function storeTime(store: Store): Promise<number> {
  const { ms } = await store.one(
    sql.prepared('store_time', instant)`select (extract(epoch from clock()) * 1000)::float8 as ms`,
  )
  return ms
}

/** What is known of the jump. */
interface ClockBack {
  readonly leaseSeconds: number
  /**
   * It was seen to jump. Otherwise somebody may have waited out its end elsewhere, and only what no schedule and no
   * lease explains is touched.
   */
  readonly isCertain: boolean
}

/**
 * Nothing is pulled that lies ahead by no more than this beyond what is right: ages of statements, leases a little
 * apart.
 */
const SLACK_SECONDS = 30
/** The longest lease that can be set (schema/config.ts). */
const LONGEST_LEASE_SECONDS = 3600

/**
 * After the clock was put back, what was scheduled before lies hours ahead, and monitors would be silent until then.
 * Puts checks that lie further ahead than their schedule explains somewhere in the interval that begins now, spread so
 * that they do not all fire at once; leases and attempts of deliveries to where they would end if they began now. Once
 * is as good as twice. Looks at every row: for the rare event only. Answers how many it moved; none while another
 * process is at it.
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
          -- One that failed may rightly wait longer, as its site asked (Retry-After, at most a day).
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
      -- Its due time is that of the next attempt, or the end of a lease.
      select id, at + case when due_at = next_attempt_at then make_interval(secs => delay)
        else lease_end - at end as due
      from (
        select d.*, t.*, (${sql.array([...DELIVERY_DELAYS_SECONDS], 'int4')})[d.attempts + 1] as delay
        from deliveries d, t
        where d.due_at > t.soon
      ) d
      where due_at > greatest(at + make_interval(secs => delay), lease_end) + slack
    ),
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
