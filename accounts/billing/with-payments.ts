import { lockSubscription, type SubscriptionRow } from '../../store/accounts/team/subscriptions.ts'
import type { Transaction } from '../../store/db/client.ts'
import type { AccountContext } from '../context.ts'
import { type BillingProvider, PaymentFault, type Payments } from './provider.ts'

/** The ports of the use cases of billing. */
export interface BillingContext extends AccountContext {
  readonly billing: BillingProvider
  /** The address under which people reach this installation, without a slash at its end. */
  readonly baseUrl: string
  readonly log: Record<'error' | 'warn', (details: object, message: string) => void>
}

/** Why nothing was bought, cancelled or resumed. */
export interface NotBilled {
  readonly kind: 'not_billed'
  readonly why: 'manual' | 'subscribed' | 'no_subscription' | 'no_customer' | 'trial_over' | 'away'
}

export const refused = (why: NotBilled['why']): NotBilled => ({ kind: 'not_billed', why })

/**
 * Does a request with the payment provider. Other such requests of the team wait until it has ended. Only few teams do
 * so at once, because each has a connection to the store until the provider has answered.
 */
export async function withPayments<T>(
  { store, billing: { payments, name }, log }: BillingContext,
  teamId: string,
  work: (tx: Transaction, payments: Payments, row: SubscriptionRow) => Promise<T>,
): Promise<T | NotBilled> {
  if (payments === null) return refused('manual')
  const leave = await payments.turns.take(teamId, { waitMs: payments.longestWaitMs })
  if (typeof leave !== 'function') return refused('away')
  try {
    return await store.transaction(async (tx) => work(tx, payments, await lockSubscription(tx, teamId)))
  } catch (error) {
    if (!(error instanceof PaymentFault)) throw error
    log.error({ err: error, provider: name, team: teamId }, 'the payment provider did not do what it was asked for')
    return refused('away')
  } finally {
    leave()
  }
}
