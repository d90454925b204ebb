import Type from 'typebox'
import { sql } from 'slonik'
import type { Queryable } from '../db/client.ts'
import type { UsedUp } from '../monitors/monitor-run-now.ts'
import { row } from '../db/row.ts'

const Null = Type.Null()
const outcome = row({
  spent: Type.Boolean(),
  used: Type.Number(),
  limit: Type.Number(),
  resets_at: Type.Union([Type.String(), Null]),
  credits: Type.Number(),
})

/** What a run that no monitor owns comes to: it is paid, or nothing is left to pay it with. */
type SpendRun = { readonly kind: 'spent' } | { readonly kind: 'used_up'; readonly quota: UsedUp }

/**
 * Takes one run from the team's quota, its pool first, then the credits, in one guarded update: so that neither is
 * overspent. `visual` takes from the pool of visual runs where the plan has one of its own. As run-now does for a
 * monitor that it queues.
 */
export async function spendRun(store: Queryable, teamId: string, pool: 'runs' | 'visual'): Promise<SpendRun> {
  const { spent, used, limit, resets_at, credits } = await store.one(sql.type(outcome)`
    with own as materialized (
      select team_id, ${pool} = 'visual'
        and visual_limit is not null as is_visual, runs_used, runs_limit, visual_used, visual_limit, credits, resets_at
      from team_usage where team_id = ${teamId}::uuid
      for update
    ),
    reserved as (
      update team_usage u
      set visual_used = u.visual_used + (own.is_visual and own.visual_used < own.visual_limit)::int,
        runs_used = u.runs_used + (not own.is_visual and own.runs_used < own.runs_limit)::int,
        credits = u.credits - (case when own.is_visual then own.visual_used >= own.visual_limit
          else own.runs_used >= own.runs_limit end)::int
      from own
      where u.team_id = own.team_id
        and (own.credits > 0 or case when own.is_visual then own.visual_used < own.visual_limit
          else own.runs_used < own.runs_limit end)
      returning u.team_id
    )
    select exists (select from reserved) as spent, own.resets_at, own.credits,
      case when own.is_visual then own.visual_used else own.runs_used end as used,
      case when own.is_visual then own.visual_limit else own.runs_limit end as limit
    from own
  `)
  return spent ? { kind: 'spent' } : { kind: 'used_up', quota: { used, limit, resets_at, credits_remaining: credits } }
}
