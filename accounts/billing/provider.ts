import type { Slots } from '../../concurrency/gates/slots.ts'
import type { Prices } from '../../core/plan/read-prices.ts'
import type { SoldTier, SubscriptionStatus } from '../../schema/account/billing.ts'

/** A subscription as the payment provider has it at this moment. */
export interface SubscriptionState {
  readonly id: string
  readonly status: SubscriptionStatus
  /** Null: none of its prices is in the settings. */
  readonly plan: { readonly tier: SoldTier; readonly serp: boolean } | null
  /** Its periods begin whole months after this instant. */
  readonly anchorAt: string
  readonly periodEndsAt: string
  readonly cancelAtPeriodEnd: boolean
}

/** What the provider reports: a customer whose subscription changed, or run credits that were paid. */
export type BillingEvent =
  | { readonly kind: 'subscription'; readonly customer: string }
  | ({ readonly kind: 'purchase' } & PaidCredits)
  | { readonly kind: 'other' }

/** A paid checkout of run credits. */
export interface PaidCredits {
  readonly checkout: string
  readonly customer: string
  /** What the checkout was begun for. */
  readonly teamId: string
  readonly runs: number
  readonly userId: string
}

/** A customer that is to be made for a team. */
interface NewCustomer {
  readonly teamId: string
  readonly email: string
  /** The customer that was deleted, which the new one follows. Null: the team had none. */
  readonly after: string | null
}

/** The person who buys. */
export interface Buyer {
  readonly teamId: string
  readonly userId: string
  readonly customer: string
}

/** The pages that the provider sends the owner back to. */
interface ReturnPages {
  readonly done: string
  readonly left: string
}

/** A page of the provider where something is paid. */
interface OpenCheckout {
  readonly id: string
  readonly url: string
}

/** What a payment provider does. Each method throws `PaymentFault` when the provider does not do it. */
export interface Payments {
  /**
   * A request for a team keeps a connection to the store until the provider has answered, and there are few
   * connections.
   */
  readonly turns: Slots
  /** A request that gets no turn in this time is answered like one that the provider did not answer. */
  readonly longestWaitMs: number
  /** Returns the id of the team's customer. Asked twice for one team, it makes one customer. */
  createCustomer(team: NewCustomer): Promise<string>
  openPlanCheckout(buyer: Buyer, price: string, pages: ReturnPages): Promise<OpenCheckout>
  openCreditCheckout(buyer: Buyer, pack: { price: string; runs: number }, pages: ReturnPages): Promise<OpenCheckout>
  /** Ends a checkout that is open. Returns false when it is not open any more, or not known. */
  endCheckout(id: string): Promise<boolean>
  openPortal(customer: string, returnPage: string): Promise<string>
  /** Lets a subscription end with its period, or not. Returns one that has ended already as it is. */
  setCancelled(subscription: string, isCancelled: boolean): Promise<SubscriptionState>
  /**
   * Returns the customer's subscription: the latest of those whose plan holds, or the latest of all. `known` is the one
   * that was found before: a customer that was deleted has no list of them.
   */
  findSubscription(customer: string, known: string | null): Promise<SubscriptionState | null>
  /** Returns what a signed body says; null when the provider has not signed it, or too long ago. */
  readEvent(body: Buffer, signature: string): Promise<BillingEvent | null>
}

/** Who decides on plans and credits. */
export interface BillingProvider {
  readonly name: 'manual' | 'stripe'
  readonly prices: Prices
  /** Null: nothing can be bought. The installation's administrator gives plans and credits by commands. */
  readonly payments: Payments | null
}

export const MANUAL_BILLING: BillingProvider = { name: 'manual', prices: { plans: [], credits: [] }, payments: null }

/** The payment provider did not do what it was asked for. */
export class PaymentFault extends Error {
  override readonly name: string = 'PaymentFault'
}

/** The payment provider has no such customer, or not any more. */
export class CustomerGone extends PaymentFault {
  override readonly name = 'CustomerGone'
}
