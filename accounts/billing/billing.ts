import { SYSTEM } from '../../schema/account/audit.ts'
import { type Billing, SUBSCRIPTION_STATUSES } from '../../schema/account/billing.ts'
import { readBilling } from '../../store/accounts/team/subscriptions.ts'
import type { UserRequester } from '../team-act.ts'
import { applySubscription } from './apply-subscription.ts'
import { asCustomer, type PageOpened, pagesOf } from './as-customer.ts'
import { type BillingContext, type NotBilled, refused, withPayments } from './with-payments.ts'

/** Returns the team's plan and subscription, and what can be bought. */
export async function showBilling({ store, billing }: BillingContext, teamId: string): Promise<Billing> {
  const { plans, credits } = billing.prices
  return {
    provider: billing.name,
    ...(await readBilling(store, teamId)),
    plans: plans.map(({ tier: plan, serp }) => ({ plan, serp })),
    credit_packs: credits.map(({ runs }) => runs),
  }
}

/** Opens the page where the owner changes the plan or the way of paying, and finds invoices. */
export const openPortal = (context: BillingContext, requester: UserRequester): Promise<PageOpened | NotBilled> =>
  withPayments(context, requester.teamId, async (tx, payments, row): Promise<PageOpened | NotBilled> =>
    row.customer_id === null
      ? refused('no_customer')
      : asCustomer(context, { tx, payments, row, requester }, async (customer) => ({
          kind: 'done',
          url: await payments.openPortal(customer, pagesOf(context).left),
        })),
  )

/** Lets the subscription end with its period, or not. What is so already changes nothing and is not recorded. */
export const setCancelled = (
  context: BillingContext,
  { teamId, actor, isCancelled }: UserRequester & { readonly isCancelled: boolean },
): Promise<{ readonly kind: 'done' } | NotBilled> =>
  withPayments(context, teamId, async (tx, payments, row): Promise<{ readonly kind: 'done' } | NotBilled> => {
    if (!row.is_live || row.subscription_id === null) return refused('no_subscription')
    const state = await payments.setCancelled(row.subscription_id, isCancelled)
    const isLive = SUBSCRIPTION_STATUSES[state.status]
    await applySubscription(tx, row, state, isLive ? actor : SYSTEM)
    return isLive ? { kind: 'done' } : refused('no_subscription')
  })
