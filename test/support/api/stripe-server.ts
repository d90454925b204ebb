import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Stripe } from 'stripe'
import type { SubscriptionStatus } from '../../../schema/account/billing.ts'

const WEBHOOK_SECRET = 'whsec_of_the_tests'
const SECRET_KEY = 'sk_test_of_the_tests'

interface Subscription {
  id: string
  customer: string
  status: SubscriptionStatus
  price: string
  created: number
  anchor: number
  cancelAtPeriodEnd: boolean
  cancelAt: number | null
}
interface Session {
  id: string
  customer: string
  mode: string
  status: 'open' | 'complete' | 'expired'
  price: string
  metadata: Record<string, string>
}

/** The calls of Stripe that Tidemark makes, on loopback, with what a person does on Stripe's pages. */
interface StripeServer extends AsyncDisposable {
  readonly options: { readonly apiUrl: string; readonly secretKey: string; readonly webhookSecret: string }
  readonly customers: { readonly id: string; readonly email: string; readonly isDeleted?: boolean }[]
  readonly sessions: Session[]
  readonly subscriptions: Subscription[]
  /** Method and path of each call. */
  readonly calls: string[]
  /** The status of every answer while it is set. */
  failing: number | null
  /** Awaited before each answer. */
  before: ((call: string) => Promise<void>) | null
  /** Deletes a customer as its dashboard does, which ends the subscriptions at once. */
  deleteCustomer(id: string): void
  /** Pays for the checkout that was opened last. */
  pay(): Session
  session(): Session
  /** A signed event, as it is posted. */
  event(type: string, object: object, signed?: { readonly secret?: string; readonly timestamp?: number }): SignedEvent
  subscriptionEvent(type: 'created' | 'updated' | 'deleted', customer?: string): SignedEvent
}

export interface SignedEvent {
  readonly payload: string
  readonly headers: Readonly<Record<string, string>>
}

const nowSeconds = () => Math.floor(Date.now() / 1000)

export async function openStripeServer(): Promise<StripeServer> {
  const state = {
    customers: [] as { id: string; email: string; isDeleted?: boolean }[],
    sessions: [] as Session[],
    subscriptions: [] as Subscription[],
    calls: [] as string[],
    failing: null as number | null,
    before: null as StripeServer['before'],
  }
  const seen = new Map<string, unknown>()
  const server = createServer((request, response) => {
    void (async () => {
      const params = new URLSearchParams(await text(request))
      const call = `${request.method} ${request.url}`
      state.calls.push(call)
      await state.before?.(call)
      const { status, body } =
        state.failing === null ? answer(request, params) : { status: state.failing, body: fault('It is away.') }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function answer(request: IncomingMessage, params: URLSearchParams): { status: number; body: unknown } {
    if (request.headers.authorization !== `Bearer ${SECRET_KEY}`) return { status: 401, body: fault('Wrong key.') }
    const key = request.headers['idempotency-key']
    if (typeof key === 'string' && seen.has(key)) return { status: 200, body: seen.get(key) }
    const url = new URL(request.url ?? '', 'http://stripe')
    const customer = url.searchParams.get('customer') ?? params.get('customer')
    if (customer !== null && !state.customers.some(({ id, isDeleted }) => id === customer && !isDeleted))
      return { status: 400, body: missing('customer', customer) }
    const body = act(String(request.method), url, params)
    if (typeof key === 'string') seen.set(key, body)
    return body === undefined ? { status: 404, body: missing('id', url.pathname) } : { status: 200, body }
  }

  function act(method: string, { pathname, searchParams }: URL, params: URLSearchParams): unknown {
    const [, , kind, ...rest] = pathname.split('/')
    const path = `${method} ${kind} ${rest.length}`
    const session = state.sessions.find(({ id }) => id === rest[1])
    const subscription = state.subscriptions.find(({ id }) => id === rest[0])
    switch (path) {
      case 'POST customers 0': {
        const customer = { id: `cus_${short()}`, email: params.get('email') ?? '' }
        state.customers.push(customer)
        return { object: 'customer', ...customer }
      }
      case 'POST checkout 1': {
        const made: Session = {
          id: `cs_${short()}`,
          customer: params.get('customer') ?? '',
          mode: params.get('mode') ?? '',
          status: 'open',
          price: params.get('line_items[0][price]') ?? '',
          metadata: Object.fromEntries(
            [...params].flatMap(([name, value]) => {
              const field = /^metadata\[(\w+)\]$/.exec(name)?.[1]
              return field === undefined ? [] : [[field, value]]
            }),
          ),
        }
        state.sessions.push(made)
        return shownSession(made)
      }
      case 'GET checkout 2':
        return session && shownSession(session)
      case 'POST checkout 3':
        if (session) session.status = 'expired'
        return session && shownSession(session)
      case 'POST billing_portal 1':
        return { object: 'billing_portal.session', url: `https://portal.example.com/${params.get('customer')}` }
      case 'GET subscriptions 0': {
        const own = state.subscriptions.filter(({ customer }) => customer === searchParams.get('customer'))
        return { object: 'list', url: '/v1/subscriptions', has_more: false, data: own.map(shownSubscription) }
      }
      case 'POST subscriptions 1': {
        // Stripe changes nothing of a subscription that has ended.
        if (!subscription || subscription.status === 'canceled') return undefined
        const ends = params.get('cancel_at_period_end')
        if (ends !== null) subscription.cancelAtPeriodEnd = ends === 'true'
        if (params.get('cancel_at') === '') subscription.cancelAt = null
        return shownSubscription(subscription)
      }
      case 'GET subscriptions 1':
        return subscription && shownSubscription(subscription)
      default:
        return undefined
    }
  }

  const latest = () => {
    const session = state.sessions.at(-1)
    if (!session) throw new Error('no checkout was begun')
    return session
  }
  return Object.assign(state, {
    options: { apiUrl, secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET },
    session: latest,
    deleteCustomer(id: string) {
      const customer = state.customers.find((one) => one.id === id)
      if (!customer) throw new Error(`there is no customer ${id}`)
      customer.isDeleted = true
      for (const one of state.subscriptions) if (one.customer === id) one.status = 'canceled'
    },
    pay() {
      const session = latest()
      if (session.status !== 'open') throw new Error(`the checkout is ${session.status}`)
      session.status = 'complete'
      if (session.mode === 'subscription')
        state.subscriptions.push({
          id: `sub_${short()}`,
          customer: session.customer,
          status: 'active',
          price: session.price,
          created: nowSeconds(),
          anchor: nowSeconds(),
          cancelAtPeriodEnd: false,
          cancelAt: null,
        })
      return session
    },
    event(type: string, object: object, { secret = WEBHOOK_SECRET, timestamp = nowSeconds() } = {}) {
      const payload = JSON.stringify({ id: `evt_${short()}`, object: 'event', type, data: { object } })
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
      return { payload, headers: { 'stripe-signature': signature, 'content-type': 'application/json' } }
    },
    subscriptionEvent(this: StripeServer, type: string, customer = latest().customer) {
      const own = state.subscriptions.filter((one) => one.customer === customer)
      return this.event(`customer.subscription.${type}`, own.map(shownSubscription).at(-1) ?? { customer })
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }) as unknown as StripeServer
}

const short = () => randomUUID().replaceAll('-', '').slice(0, 14)
const fault = (message: string) => ({ error: { type: 'api_error', message } })
const missing = (param: string, what: string) => ({
  error: { type: 'invalid_request_error', code: 'resource_missing', param, message: `No such ${param}: '${what}'` },
})

export const shownSession = ({ id, customer, mode, status, metadata }: Session) => ({
  id,
  object: 'checkout.session',
  url: `https://checkout.example.com/${id}`,
  customer,
  mode,
  status,
  payment_status: status === 'complete' ? 'paid' : 'unpaid',
  metadata,
})

function shownSubscription({ id, customer, status, price, created, anchor, ...rest }: Subscription) {
  const begins = new Date(anchor * 1000)
  const ends = new Date(begins)
  ends.setUTCMonth(ends.getUTCMonth() + 1)
  return {
    id,
    object: 'subscription',
    customer,
    status,
    created,
    billing_cycle_anchor: anchor,
    cancel_at_period_end: rest.cancelAtPeriodEnd,
    cancel_at: rest.cancelAt,
    items: {
      object: 'list',
      data: [
        { price: { id: price }, current_period_start: anchor, current_period_end: Math.floor(ends.getTime() / 1000) },
      ],
    },
  }
}
