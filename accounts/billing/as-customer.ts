import { SYSTEM } from '../../schema/account/audit.ts'
import { SUBSCRIPTION_STATUSES } from '../../schema/account/billing.ts'
import { emailOf, noteCustomer, type SubscriptionRow } from '../../store/accounts/team/subscriptions.ts'
import type { Transaction } from '../../store/db/client.ts'
import type { UserRequester } from '../team-act.ts'
import { applySubscription } from './apply-subscription.ts'
import { CustomerGone, type Payments } from './provider.ts'
import type { BillingContext } from './with-payments.ts'

export interface PageOpened {
  readonly kind: 'done'
  readonly url: string
}

/** A request of an owner that is under way with the provider. */
interface Paying {
  readonly tx: Transaction
  readonly payments: Payments
  readonly row: SubscriptionRow
  readonly requester: UserRequester
}

/**
 * Does the work with the team's customer, and makes the customer where there is none yet. One that was deleted at the
 * provider is followed by a new one, once: its subscription has ended, and what it paid for is the team's.
 */
export async function asCustomer<T>(
  { log, billing: { name } }: BillingContext,
  { tx, payments, row, requester: { userId } }: Paying,
  work: (customer: string) => Promise<T>,
): Promise<T> {
  const { team_id: teamId } = row
  const create = async (after: string | null) => {
    const id = await payments.createCustomer({ teamId, email: (await emailOf(tx, userId)) ?? '', after })
    await noteCustomer(tx, teamId, id)
    return id
  }
  const customer = row.customer_id ?? (await create(null))
  try {
    return await work(customer)
  } catch (error) {
    if (!(error instanceof CustomerGone)) throw error
    if (row.is_live) {
      const state = await payments.findSubscription(customer, row.subscription_id)
      // The provider says two things, or the key is that of another account of it.
      if (state === null || SUBSCRIPTION_STATUSES[state.status]) throw error
      await applySubscription(tx, row, state, SYSTEM)
    }
    log.warn({ provider: name, team: teamId, customer }, 'the provider has no such customer: the team gets a new one')
    return work(await create(customer))
  }
}

export const pagesOf = ({ baseUrl }: BillingContext) => ({
  done: `${baseUrl}/billing/done`,
  left: `${baseUrl}/billing/left`,
})
