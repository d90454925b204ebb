import type { NotFound } from '../../core/outcome.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import { SUBSCRIPTION_STATUSES } from '../../schema/account/billing.ts'
import { findByCustomer, type SubscriptionRow } from '../../store/accounts/team/subscriptions.ts'
import { applySubscription } from './apply-subscription.ts'
import { PaymentFault, type Payments, type SubscriptionState } from './provider.ts'
import { type BillingContext, type NotBilled, refused } from './with-payments.ts'

/** A live subscription has no price that the settings name. */
export interface UnknownPrice {
  readonly kind: 'unknown_price'
}

/** How often a sync begins anew because another one wrote while it asked the provider. */
const MAX_ROUNDS = 5

/**
 * Reads a customer's subscription from the provider and applies it. Events only say that there is something to read, so
 * that it does not matter how often, how late and in which order they come.
 */
export async function syncCustomer(
  context: BillingContext,
  customer: string,
): Promise<{ readonly kind: 'done' } | NotFound | NotBilled | UnknownPrice> {
  const { store, log, billing } = context
  if (billing.payments === null) return refused('manual')
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // Read before the provider is asked: a sync that writes after this read has asked later, or at the same time.
    const row = await findByCustomer(store, customer)
    if (!row) return { kind: 'not_found', what: 'team' }
    const state = await askedSubscription(context, billing.payments, { customer, known: row.subscription_id })
    if (state === 'away') return refused('away')
    if (state === null) return { kind: 'done' }
    if (row.is_ended) return endPaid(context, billing.payments, row, state)
    if (SUBSCRIPTION_STATUSES[state.status] && state.plan === null) {
      log.error({ team: row.team_id, subscription: state.id }, UNKNOWN_PRICE)
      return { kind: 'unknown_price' }
    }
    if ((await store.transaction((tx) => applySubscription(tx, row, state, SYSTEM))) === 'done') return { kind: 'done' }
  }
  return refused('away')
}

const UNKNOWN_PRICE =
  'a team pays for a subscription whose price is not in STRIPE_PRICES; its plan stays as it is until the price is added'

/**
 * An account can be deleted while a page for a plan is open, and the page be paid after that. Nobody is left who could
 * cancel, so the subscription is not renewed.
 */
async function endPaid(
  { log, billing: { name } }: BillingContext,
  payments: Payments,
  { team_id: team }: SubscriptionRow,
  { id, status, cancelAtPeriodEnd }: SubscriptionState,
): Promise<{ readonly kind: 'done' } | NotBilled> {
  if (!SUBSCRIPTION_STATUSES[status] || cancelAtPeriodEnd) return { kind: 'done' }
  log.error({ team, subscription: id }, 'a deleted team has paid for a plan: it is not renewed; give the money back')
  try {
    await payments.setCancelled(id, true)
    return { kind: 'done' }
  } catch (error) {
    if (!(error instanceof PaymentFault)) throw error
    log.error({ err: error, provider: name, team }, 'the payment provider did not do what it was asked for')
    return refused('away')
  }
}

async function askedSubscription(
  { log, billing: { name } }: BillingContext,
  payments: Payments,
  { customer, known }: { readonly customer: string; readonly known: string | null },
) {
  try {
    return await payments.findSubscription(customer, known)
  } catch (error) {
    if (!(error instanceof PaymentFault)) throw error
    log.error({ err: error, provider: name }, 'the payment provider did not tell of a subscription')
    return 'away'
  }
}
