import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import type { UsedUp } from '../monitors/monitor-run-now.ts'
import { CREDITS_ONLY_RESET, GIVEN_BACK, isSamePeriod, poolOf, renewPeriods, RESERVE, TRIAL_OVER } from './pool.ts'

const Null = Type.Null()
const outcome = row({
  spent: Type.Boolean(),
  used: Type.Number(),
  /** Null: no limit. */
  limit: Type.Union([Type.Number(), Null]),
  resets_at: Type.Union([Type.String(), Null]),
  credits: Type.Number(),
  is_over: Type.Boolean(),
  kind: Type.Unsafe<Pool>({ enum: ['runs', 'visual', 'serp'] }),
  from_pool: Type.Number(),
  period: Type.String(),
})

type Pool = 'runs' | 'visual' | 'serp'

/** What paid for runs: as many of a pool in the period that began at `period`, and the credits after it. */
export interface PaidRuns {
  readonly teamId: string
  readonly pool: Pool
  readonly fromPool: number
  readonly credits: number
  readonly period: string
}

/**
 * The result of paying for a run without a monitor: it is paid, the quota is used up, or the trial has ended, after
 * which credits pay for nothing either.
 */
type SpendRun =
  | { readonly kind: 'spent'; readonly paid: PaidRuns }
  | { readonly kind: 'used_up'; readonly quota: UsedUp; readonly needs: number }
  | { readonly kind: 'trial_over' }

/**
 * Takes runs from the team's quota, first from the pool, then from the credits, in one guarded update, so that neither
 * is overspent. `visual` takes from the pool of visual runs when the team has a separate one.
 */
export async function spendRun(store: Queryable, teamId: string, pool: Pool, cost = 1): Promise<SpendRun> {
  await renewPeriods(store, teamId)
  const { spent, used, limit, resets_at, credits, is_over, kind, from_pool, period } = await store.one(
    sql.type(outcome)`
      with own as materialized (
        select u.team_id, u.credits, u.resets_at, u.period_start, ${TRIAL_OVER} as is_over, ${cost}::bigint as cost,
          pool.*
        from team_usage u ${poolOf(sql.fragment`${pool}`)}
        where u.team_id = ${teamId}::uuid
        for update of u
      ),
      reserved as (${RESERVE})
      select exists (select from reserved) as spent, own.used, own.most as limit, own.credits, own.is_over, own.kind,
        least(own.cost, own.room) as from_pool, own.period_start::text as period, ${CREDITS_ONLY_RESET} as resets_at
      from own
    `,
  )
  if (is_over) return { kind: 'trial_over' }
  return spent
    ? { kind: 'spent', paid: { teamId, pool: kind, fromPool: from_pool, credits: cost - from_pool, period } }
    : { kind: 'used_up', needs: cost, quota: { used, limit: limit ?? used, resets_at, credits_remaining: credits } }
}

/**
 * Gives runs back that were paid for and not made: each to what it was taken from. A period that is over gets none, and
 * its runs are not given to the next one.
 */
export async function giveRunBack(
  store: Queryable,
  { teamId, pool, fromPool, credits, period }: PaidRuns,
): Promise<void> {
  const back = (of: Pool) => sql.fragment`
    case when ${pool} = ${of} and ${isSamePeriod(period)} then ${fromPool}::bigint else 0 end`
  await store.query(sql.type(nothing)`
    update team_usage u
    set ${GIVEN_BACK}
    from (
      select u.team_id, ${back('runs')} as runs, ${back('visual')} as visual, ${back('serp')} as serp,
        ${credits}::bigint as credits
      from team_usage u
      where u.team_id = ${teamId}::uuid
      for update of u
    ) own
    where u.team_id = own.team_id
  `)
}
