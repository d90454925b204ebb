import { sql } from 'slonik'
import type { Store } from './client.ts'
import { nothing } from './row.ts'

/** Begins the next month of every quota whose period has ended: whole months are added until now lies inside. */
export async function renewPeriods(store: Store): Promise<void> {
  await store.query(sql.type(nothing)`
    with t as materialized (select clock() as at),
    ended as (
      select u.team_id,
        1 + (extract(year from age(t.at, u.resets_at)) * 12 + extract(month from age(t.at, u.resets_at)))::int as months
      from team_usage u, t
      where u.resets_at <= t.at
      for update of u skip locked
    )
    update team_usage u
    set runs_used = 0, visual_used = 0, serp_used = 0,
      period_start = u.resets_at + make_interval(months => e.months - 1),
      resets_at = u.resets_at + make_interval(months => e.months)
    from ended e
    where u.team_id = e.team_id
  `)
}
