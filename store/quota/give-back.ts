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
 * Takes the payments of runs that somebody asked for from their rows. `from` has locked rows of `checks` with the `id`
 * of the run, and whether it `is_paid`.
 */
export const askedRuns = (from: Fragment) => sql.fragment`
  delete from asked_work a using ${from} c where a.id = c.id and c.is_paid and a.kind = 'run'
  returning a.id, a.team_id, a.pool, a.from_pool, a.credits, a.period`

/**
 * Selects what paid for these runs: `asked` has what `askedRuns` took. The row of the check has the payment of a
 * scheduled run, and its id says when it was paid. A pool without runs has paid for none, as that of searches after a
 * change of plan: it was the pool of runs.
 */
export const paymentsOfRuns = (from: Fragment, asked: Fragment) => sql.fragment`
  select team_id, pool, from_pool, credits, period from ${asked} a
  union all
  select c.team_id, case when pool.most = 0 then 'runs' else pool.kind end, c.cost - c.credits_paid, c.credits_paid,
    run_id_time(c.id)
  from ${from} c join team_usage u using (team_id) ${poolOf(sql.fragment`c.queue`)}
  where c.is_paid and not exists (select from ${asked} a where a.id = c.id)`
