import { sql } from 'slonik'
import type { Store } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/**
 * Begins the next month of every quota whose period has ended. It adds the fewest whole months (of UTC) that bring the
 * end of the period after the current time. A period that ends on the 29th to 31st ends on the last day of a shorter
 * month, and on that day from then on.
 */
export async function renewPeriods(store: Store): Promise<void> {
  await store.query(sql.type(nothing)`
    with t as materialized (select clock() as at),
    ended as (
      select u.team_id, u.resets_at at time zone 'UTC' as ended_at, t.at at time zone 'UTC' as at
      from team_usage u, t
      where u.resets_at <= t.at
      for update of u skip locked
    ),
    renewed as (
      select team_id, ended_at, (
        select min(n) from generate_series(1, 2 + (12 * extract(year from age(at, ended_at)) + extract(month
          from age(at, ended_at)))::int) n
        where ended_at + make_interval(months => n) > at
      ) as months
      from ended
    )
    update team_usage u
    set runs_used = 0, visual_used = 0, serp_used = 0, llm_calls_used = 0, screenshot_bytes_used = 0,
      proxy_bytes_used = 0,
      period_start = (r.ended_at + make_interval(months => r.months - 1)) at time zone 'UTC',
      resets_at = (r.ended_at + make_interval(months => r.months)) at time zone 'UTC'
    from renewed r
    where u.team_id = r.team_id
  `)
}
