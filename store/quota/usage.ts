import { sql } from 'slonik'
import Type from 'typebox'
import { type SerpAccess, serpAccess } from '../../core/plan/serp-access.ts'
import { type Tier, TRIAL_DAYS } from '../../schema/account/plan.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { monthOf, NOTHING_USED, renewPeriods, TRIAL_OVER } from './pool.ts'

/**
 * Creates the pools of a new team, with the sizes of its limits. The pools of a trial are never renewed. Those of a
 * plan are renewed each month from now, until a subscription changes that.
 */
export async function openUsage(tx: Queryable, teamId: string, kind: 'trial' | 'plan'): Promise<void> {
  await tx.query(sql.type(nothing)`
    insert into team_usage
      (team_id, runs_limit, visual_limit, serp_limit, period_start, anchor_at, resets_at, trial_ends_at)
    select t.id, p.runs_limit, p.visual_limit, p.serp_limit, clock(), clock(),
      case when ${kind === 'plan'} then month_from(clock(), 1) end,
      case when t.tier = 'free' then t.trial_ends_at end
    from teams t cross join lateral team_pools(t.id) p where t.id = ${teamId}::uuid`)
}

/**
 * Locks the team's quota, of the period that goes on now. Whatever takes from the quota or gives back to it, and
 * changes a monitor or its check in one transaction, locks the quota first, as the locks of a plan do
 * (000007-quota.sql), so that neither waits for the other.
 */
export async function lockUsage(tx: Transaction, teamId: string): Promise<void> {
  await tx.query(sql.type(nothing)`select from team_usage where team_id = ${teamId}::uuid for update`)
  await renewPeriods(tx, teamId)
}

const planRow = row({ tier: Type.Unsafe<Tier>({}), serp: Type.Unsafe<SerpAccess>({}) })

/** A change of plan, with what was before. */
interface ChangedPlan {
  readonly tier: Tier
  readonly serp: SerpAccess
  readonly before: { readonly tier: Tier; readonly serp: SerpAccess }
}

/**
 * Puts a team on a plan, at once. A change from a trial begins a period of a month. One to `free` begins a trial, or
 * with `hasNoTrial` ends it. Otherwise the period and what was used in it stay. Two changes at the same time run one
 * after the other.
 */
export async function changePlan(
  tx: Transaction,
  teamId: string,
  to: { readonly tier: Tier; readonly withSerp: boolean; readonly hasNoTrial?: boolean },
): Promise<ChangedPlan> {
  const { tier, hasNoTrial = false } = to
  const serp = serpAccess(tier, to.withSerp)
  const before = await tx.one(sql.type(planRow)`
    select tier, serp from teams where id = ${teamId}::uuid for no key update`)
  await tx.query(sql.type(nothing)`
    update teams set tier = ${tier}, serp = ${serp},
      trial_ends_at = case when ${tier} = 'free' then
        case when ${hasNoTrial} then least(trial_ends_at, clock())
          else coalesce(trial_ends_at, clock() + make_interval(days => ${TRIAL_DAYS})) end end
    where id = ${teamId}::uuid`)
  if ((before.tier === 'free') !== (tier === 'free'))
    await tx.query(sql.type(nothing)`
      update team_usage set ${NOTHING_USED}, period_start = clock(), anchor_at = clock(),
        resets_at = case when ${tier} <> 'free' then month_from(clock(), 1) end
      where team_id = ${teamId}::uuid`)
  return { tier, serp, before }
}

/**
 * Lets the team's periods begin whole months after an instant. When the present one begins later than the one before,
 * nothing is used in it yet.
 */
export async function anchorPeriod(tx: Transaction, teamId: string, anchorAt: string): Promise<void> {
  const anchor = sql.fragment`${anchorAt}::timestamptz`
  const begins = await tx.oneFirst(sql.type(row({ begins: Type.Boolean() }))`
    select month_from(${anchor}, months_past(${anchor}, clock()) - 1) > period_start as begins
    from team_usage where team_id = ${teamId}::uuid for update`)
  await tx.query(sql.type(nothing)`
    update team_usage set ${monthOf(anchor, sql.fragment`clock()`)}
      ${begins ? sql.fragment`, ${NOTHING_USED}` : sql.fragment``}
    where team_id = ${teamId}::uuid`)
}

const over = row({ is_over: Type.Boolean() })

/** Returns whether the trial of a team has ended without a plan. Run credits pay for nothing then. */
export const isTrialOver = (tx: Transaction, teamId: string): Promise<boolean> =>
  tx.oneFirst(sql.type(over)`select ${TRIAL_OVER} as is_over from team_usage u where u.team_id = ${teamId}::uuid`)

const credits = row({ credits: Type.Integer() })

/** Gives a team run credits. Returns how many it has now. */
export const addCredits = (tx: Transaction, teamId: string, runs: number): Promise<number> =>
  tx.oneFirst(sql.type(credits)`
    update team_usage set credits = credits + ${runs}::bigint, credits_given = credits_given + ${runs}::bigint
    where team_id = ${teamId}::uuid returning credits`)
