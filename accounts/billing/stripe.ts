import type { Stripe } from 'stripe'
import { Slots } from '../../concurrency/gates/slots.ts'
import type { Prices } from '../../core/plan/read-prices.ts'
import { SUBSCRIPTION_STATUSES } from '../../schema/account/billing.ts'
import {
  type BillingEvent,
  type BillingProvider,
  type Buyer,
  CustomerGone,
  PaymentFault,
  type Payments,
  type SubscriptionState,
} from './provider.ts'

/** What the settings say about Stripe. */
interface StripeOptions {
  /** Both are asked for at each use: their files may be read again. */
  readonly secretKey: () => string
  readonly webhookSecret: () => string
  readonly prices: Prices
  /** Instead of https://api.stripe.com, for tests. */
  readonly apiUrl?: string | undefined
  /** Milliseconds until Stripe has answered a call. Default 8,000. */
  readonly timeoutMs?: number
  /** Milliseconds until a request has its turn to call Stripe. Default 5,000. */
  readonly longestWaitMs?: number
}

/** A quarter of the connections that an API has to the store. */
const MAX_AT_ONCE = 4
/** An open checkout ends by itself after so long. Stripe's shortest is half an hour. */
const CHECKOUT_SECONDS = 3_600

/** Returns the provider. Stripe's library is loaded when it is used for the first time. */
export function stripeBilling(options: StripeOptions): BillingProvider {
  let loaded: { readonly key: string; readonly library: Promise<Stripe> } | undefined
  const library = () => {
    const key = options.secretKey()
    if (loaded?.key !== key) loaded = { key, library: loadStripe(key, options) }
    return loaded.library
  }
  const prices = options.prices
  /** Asks Stripe. Throws PaymentFault when it refuses or does not answer, CustomerGone when it misses the customer. */
  const ask: Ask = async (work) => {
    const stripe = await library()
    try {
      return await work(stripe)
    } catch (error) {
      if (!isStripeError(error)) throw error
      const Fault = isMissing(error, 'customer') ? CustomerGone : PaymentFault
      throw new Fault(error.message, { cause: error })
    }
  }
  const readEvent: Payments['readEvent'] = async (body, signature) => {
    const stripe = await library()
    try {
      return eventOf(stripe.webhooks.constructEvent(body, signature, options.webhookSecret()))
    } catch (error) {
      if (isStripeError(error) || error instanceof SyntaxError) return null
      throw error
    }
  }
  const turns = new Slots({ total: MAX_AT_ONCE, perTeam: 1 })
  return {
    name: 'stripe',
    prices,
    payments: {
      turns,
      longestWaitMs: options.longestWaitMs ?? 5_000,
      ...checkoutsOf(ask),
      ...subscriptionsOf(ask, prices),
      readEvent,
    },
  }
}

type Ask = <T>(work: (stripe: Stripe) => Promise<T>) => Promise<T>
type Checkouts = 'createCustomer' | 'openPlanCheckout' | 'openCreditCheckout' | 'endCheckout'

const checkoutsOf = (ask: Ask): Pick<Payments, Checkouts> => ({
  createCustomer: ({ teamId, email, after }) =>
    ask(async (stripe) => {
      const params = { email, metadata: { team_id: teamId } }
      // Under the key of a customer that was deleted, Stripe would answer with that one again.
      const idempotencyKey = `tidemark customer ${teamId} ${email}${after === null ? '' : ` after ${after}`}`
      const { id } = await stripe.customers.create(params, { idempotencyKey })
      return id
    }),
  openPlanCheckout: (buyer, price, pages) =>
    ask(async ({ checkout }) => {
      const subscription_data = { metadata: { team_id: buyer.teamId } }
      const params = { ...sessionOf(buyer, price, pages), mode: 'subscription', subscription_data } as const
      return opened(await checkout.sessions.create(params))
    }),
  openCreditCheckout: (buyer, { price, runs }, pages) =>
    ask(async ({ checkout }) => {
      const params = sessionOf(buyer, price, pages)
      const metadata = { ...params.metadata, runs: String(runs) }
      return opened(await checkout.sessions.create({ ...params, mode: 'payment', metadata }))
    }),
  endCheckout: (id) =>
    ask(async ({ checkout }) => {
      const found = await checkout.sessions.retrieve(id).catch(nullIfMissing)
      if (found?.status !== 'open') return false
      await checkout.sessions.expire(id)
      return true
    }),
})

const subscriptionsOf = (
  ask: Ask,
  prices: Prices,
): Pick<Payments, 'openPortal' | 'setCancelled' | 'findSubscription'> => ({
  openPortal: (customer, returnPage) =>
    ask(async ({ billingPortal }) => {
      const { url } = await billingPortal.sessions.create({ customer, return_url: returnPage })
      return url
    }),
  setCancelled: (id, isCancelled) =>
    ask(async ({ subscriptions }) => {
      const now = await subscriptions.retrieve(id)
      // Stripe changes nothing of a subscription that has ended, and its event may not have come yet.
      if (!SUBSCRIPTION_STATUSES[now.status]) return stateOf(now, prices)
      // The portal may have set a date instead, which is taken back as such.
      const change =
        isCancelled || now.cancel_at_period_end ? { cancel_at_period_end: isCancelled } : { cancel_at: '' as const }
      return stateOf(await subscriptions.update(id, change), prices)
    }),
  findSubscription: (customer, known) =>
    ask(async ({ subscriptions }) => {
      const listed = subscriptions.list({ customer, status: 'all', limit: 100 })
      const all = (await listed.autoPagingToArray({ limit: 1000 }).catch(nullIfMissing)) ?? []
      const [latest] = all.sort((a, b) => rank(b) - rank(a) || b.created - a.created)
      if (latest !== undefined) return stateOf(latest, prices)
      // Stripe ends the subscriptions of a customer that is deleted, and tells of each by its id.
      return known === null ? null : stateOf(await subscriptions.retrieve(known), prices)
    }),
})

async function loadStripe(secretKey: string, { apiUrl, timeoutMs = 8_000 }: StripeOptions): Promise<Stripe> {
  const { default: Library } = await import('stripe')
  const url = apiUrl === undefined ? null : new URL(apiUrl)
  return new Library(secretKey, {
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
    ...(url && {
      host: url.hostname,
      port: url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : url.port,
      protocol: url.protocol === 'http:' ? 'http' : 'https',
    }),
  })
}

const isStripeError = (error: unknown): error is Error =>
  error instanceof Error && 'type' in error && String(error.type).startsWith('Stripe')

/** Returns whether Stripe has no such thing; with `param`, whether it misses what this parameter names. */
const isMissing = (error: Error, param?: string): boolean =>
  'code' in error &&
  error.code === 'resource_missing' &&
  (param === undefined || ('param' in error && error.param === param))

function nullIfMissing(error: unknown): null {
  if (isStripeError(error) && isMissing(error)) return null
  throw error
}

const sessionOf = ({ teamId, userId, customer }: Buyer, price: string, pages: { done: string; left: string }) => ({
  customer,
  client_reference_id: teamId,
  line_items: [{ price, quantity: 1 }],
  success_url: pages.done,
  cancel_url: pages.left,
  expires_at: Math.floor(Date.now() / 1000) + CHECKOUT_SECONDS,
  metadata: { team_id: teamId, user_id: userId },
})

function opened({ id, url }: Stripe.Checkout.Session) {
  if (url === null) throw new PaymentFault('the checkout has no address')
  return { id, url }
}

const rank = ({ status }: Stripe.Subscription) => Number(SUBSCRIPTION_STATUSES[status])
const instant = (seconds: number) => new Date(seconds * 1000).toISOString()

function stateOf(subscription: Stripe.Subscription, { plans }: Prices): SubscriptionState {
  const { id, status, billing_cycle_anchor: anchor, cancel_at_period_end: isEnding, cancel_at: endsAt } = subscription
  const items = subscription.items.data
  const plan = plans.find(({ ids }) => items.some(({ price }) => ids.includes(price.id)))
  return {
    id,
    status,
    plan: plan === undefined ? null : { tier: plan.tier, serp: plan.serp },
    anchorAt: instant(anchor),
    periodEndsAt: instant(endsAt ?? Math.max(...items.map((item) => item.current_period_end))),
    cancelAtPeriodEnd: isEnding || endsAt !== null,
  }
}

const idOf = (customer: string | { id: string } | null): string =>
  (typeof customer === 'string' ? customer : customer?.id) ?? ''

function eventOf(event: Stripe.Event): BillingEvent {
  switch (event.type) {
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
      return { kind: 'subscription', customer: idOf(event.data.object.customer) }
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return checkoutOf(event.data.object)
    default:
      return { kind: 'other' }
  }
}

/** Some ways of paying are done days later; until then the checkout is not paid. */
function checkoutOf({ id, mode, payment_status: paid, ...session }: Stripe.Checkout.Session): BillingEvent {
  const customer = idOf(session.customer)
  if (mode === 'subscription') return { kind: 'subscription', customer }
  const { team_id: teamId = '', user_id: userId = '', runs = '' } = session.metadata ?? {}
  // Sold by something else that uses the same account of Stripe.
  if (mode !== 'payment' || paid !== 'paid' || !/^[1-9]\d{0,8}$/.test(runs)) return { kind: 'other' }
  return { kind: 'purchase', checkout: id, customer, teamId, userId, runs: Number(runs) }
}
