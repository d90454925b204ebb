import type { Actor, AuditAction } from '../../schema/account/audit.ts'
import { SUBSCRIPTION_STATUSES } from '../../schema/account/billing.ts'
import { recordAudit } from '../../store/accounts/audit.ts'
import { type SubscriptionRow, writeSubscription } from '../../store/accounts/team/subscriptions.ts'
import type { Transaction } from '../../store/db/client.ts'
import { anchorPeriod, changePlan } from '../../store/quota/usage.ts'
import type { SubscriptionState } from './provider.ts'

export type BillingFacts = Readonly<Record<string, string | number | boolean>>

/**
 * Writes what the provider said, and what follows from it for the team, in one transaction: plan, periods, locks, audit
 * log. Returns `stale`, and changes nothing, when somebody wrote since `row` was read, or the team has ended since.
 */
export async function applySubscription(
  tx: Transaction,
  row: SubscriptionRow,
  state: SubscriptionState,
  actor: Actor,
): Promise<'done' | 'stale'> {
  const { team_id: teamId } = row
  const { id, status, plan, periodEndsAt, cancelAtPeriodEnd, anchorAt } = state
  const isLive = SUBSCRIPTION_STATUSES[status]
  if (!(await writeSubscription(tx, row, { id, status, isLive, periodEndsAt, cancelAtPeriodEnd }))) return 'stale'
  const record = (action: AuditAction, label: string, metadata: BillingFacts) =>
    recordAudit(tx, { teamId, actor, action, target: { id: teamId, label }, metadata })
  const wasCancelled = row.is_live && row.cancel_at_period_end
  if (isLive && cancelAtPeriodEnd !== wasCancelled)
    await record(cancelAtPeriodEnd ? 'billing.cancelled' : 'billing.resumed', id, { ends_at: periodEndsAt })
  // A subscription that was never active does not change the plan that somebody set.
  if (!isLive && !row.is_live) return 'done'
  // Nor does one whose plan is not known.
  if (isLive && plan === null) return 'done'
  const to = isLive && plan !== null ? { tier: plan.tier, withSerp: plan.serp } : LAPSED
  const { tier, serp, before } = await changePlan(tx, teamId, to)
  if (isLive) await anchorPeriod(tx, teamId, anchorAt)
  if (tier !== before.tier || serp !== before.serp)
    await record('billing.plan_changed', tier, {
      from: before.tier,
      to: tier,
      serp,
      previous_serp: before.serp,
      status,
    })
  return 'done'
}

/** What follows a subscription that ended: a trial that is over. */
const LAPSED = { tier: 'free', withSerp: false, hasNoTrial: true } as const
