import type { Invalid } from '../../core/outcome.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import { type PlanCheckout, SUBSCRIPTION_STATUSES } from '../../schema/account/billing.ts'
import { recordAudit } from '../../store/accounts/audit.ts'
import { noteCheckout } from '../../store/accounts/team/subscriptions.ts'
import type { Transaction } from '../../store/db/client.ts'
import { isTrialOver } from '../../store/quota/usage.ts'
import type { UserRequester } from '../team-act.ts'
import { applySubscription, type BillingFacts } from './apply-subscription.ts'
import { asCustomer, type PageOpened, pagesOf } from './as-customer.ts'
import { type BillingContext, type NotBilled, refused, withPayments } from './with-payments.ts'

type Bought = PageOpened | NotBilled | Invalid

/** Opens a page where the owner pays for a plan. A checkout of a plan that was begun before ends. */
export async function checkoutPlan(
  context: BillingContext,
  { plan, serp = false, ...requester }: UserRequester & PlanCheckout,
): Promise<Bought> {
  const price = context.billing.prices.plans.find((one) => one.tier === plan && one.serp === serp)?.ids[0]
  if (context.billing.payments !== null && price === undefined)
    return notSold('plan', `the plan ${plan}${serp ? ' with SERP' : ''} is not sold here; GET /v1/billing lists plans`)
  return withPayments(context, requester.teamId, async (tx, payments, row): Promise<PageOpened | NotBilled> => {
    if (row.is_live) return refused('subscribed')
    return asCustomer(context, { tx, payments, row, requester }, async (customer) => {
      if (row.checkout_id !== null) {
        await payments.endCheckout(row.checkout_id)
        // It may have been paid a moment ago.
        const state = await payments.findSubscription(customer, null)
        if (state !== null && SUBSCRIPTION_STATUSES[state.status]) {
          await applySubscription(tx, row, state, SYSTEM)
          return refused('subscribed')
        }
      }
      const buyer = { teamId: row.team_id, userId: requester.userId, customer }
      const { id, url } = await payments.openPlanCheckout(buyer, price ?? '', pagesOf(context))
      await noteCheckout(tx, row.team_id, id)
      await recordCheckout(tx, requester, serp ? `${plan} with SERP` : plan, { plan, serp })
      return { kind: 'done', url }
    })
  })
}

/**
 * Opens a page where the owner pays for run credits. They are added when they are paid. After a trial without a plan
 * they would pay for nothing, so none are sold.
 */
export async function checkoutCredits(
  context: BillingContext,
  { runs, ...requester }: UserRequester & { readonly runs: number },
): Promise<Bought> {
  const pack = context.billing.prices.credits.find((one) => one.runs === runs)
  if (context.billing.payments !== null && !pack)
    return notSold('runs', `there is no pack of ${runs} runs; GET /v1/billing lists credit_packs`)
  return withPayments(context, requester.teamId, async (tx, payments, row): Promise<PageOpened | NotBilled> => {
    if (await isTrialOver(tx, row.team_id)) return refused('trial_over')
    return asCustomer(context, { tx, payments, row, requester }, async (customer) => {
      // The plan was lost if the customer was.
      if (await isTrialOver(tx, row.team_id)) return refused('trial_over')
      const buyer = { teamId: row.team_id, userId: requester.userId, customer }
      const { url } = await payments.openCreditCheckout(buyer, pack ?? { runs, price: '' }, pagesOf(context))
      await recordCheckout(tx, requester, `${runs} runs`, { runs })
      return { kind: 'done', url }
    })
  })
}

const notSold = (path: string, message: string): Invalid => ({ kind: 'invalid', issues: [{ path, message }] })

const recordCheckout = (tx: Transaction, { teamId, actor }: UserRequester, label: string, metadata: BillingFacts) =>
  recordAudit(tx, { teamId, actor, action: 'billing.checkout_started', target: { id: teamId, label }, metadata })
