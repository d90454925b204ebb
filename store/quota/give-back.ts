import { sql } from 'slonik'
import { poolOf } from './pool.ts'

type Fragment = ReturnType<typeof sql.fragment>

/**
 * Gives payments back, each to what it was taken from: the one place that does. `payments` is a query with the columns
 * `team_id`, `pool`, `from_pool`, `credits`, and `period`, an instant of the period that paid. A period that is over
 * gets nothing back, and the next one does not either. The beginning of one that goes on may have moved back since, as
 * when a subscription says from when its months count: what was used in it stays then (`anchorPeriod`).
 *
 * The statement takes each payment from its row under the lock of the row, and so once. It has locked the quotas first;
 * `team` has them with `team_id` and `period_start`.
 */
export const giveBack = (payments: Fragment, team: Fragment = sql.fragment`team_usage`) => sql.fragment`
  update team_usage u
  set runs_used = greatest(u.runs_used - back.runs, 0),
    visual_used = greatest(u.visual_used - back.visual, 0),
    serp_used = greatest(u.serp_used - back.serp, 0),
    credits = u.credits + back.credits
  from (
    select team_id, sum(case pool when 'runs' then runs else 0 end)::bigint as runs,
      sum(case pool when 'visual' then runs else 0 end)::bigint as visual,
      sum(case pool when 'serp' then runs else 0 end)::bigint as serp, sum(credits)::bigint as credits
    from (
      select p.team_id, p.pool, case when own.period_start <= p.period then p.from_pool else 0 end as runs, p.credits
      from (${payments}) p join ${team} own using (team_id)
    ) paid
    group by team_id
  ) back
  where u.team_id = back.team_id`

/**
 * Selects what paid for these runs, which the id of each dates. `from` has locked rows of `checks` with the `id` of the
 * run, and whether it `is_paid`. A pool without runs has paid for none, as that of searches after a change of plan: it
 * was the pool of runs.
 */
export const paymentsOfRuns = (from: Fragment) => sql.fragment`
  select c.team_id, case when pool.most = 0 then 'runs' else pool.kind end as pool,
    c.cost - c.credits_paid as from_pool, c.credits_paid as credits, run_id_time(c.id) as period
  from ${from} c join team_usage u using (team_id) ${poolOf(sql.fragment`c.queue`)}
  where c.is_paid`
