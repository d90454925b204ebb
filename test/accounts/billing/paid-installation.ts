import { stripeBilling } from '../../../accounts/billing/stripe.ts'
import { readPrices } from '../../../core/plan/read-prices.ts'
import type { Tier } from '../../../schema/account/plan.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { openStripeServer, type SignedEvent } from '../../support/api/stripe-server.ts'
import { createTestApi } from '../../support/api/test-api.ts'

const PRICES = {
  lite: 'price_lite',
  pro: 'price_pro,price_pro_old',
  pro_serp: 'price_pro_serp',
  credits: { 5000: 'price_5000', 1000: 'price_1000' },
}

/** Two processes of one installation that takes payments, and Stripe. */
export async function openPaidInstallation() {
  const stripe = await openStripeServer()
  const prices = readPrices(JSON.stringify(PRICES))
  if (typeof prices === 'string') throw new Error(prices)
  // How long a call takes, and how many requests wait before one, depends on the machine.
  const { apiUrl, secretKey, webhookSecret } = stripe.options
  const keys = { secretKey: () => secretKey, webhookSecret: () => webhookSecret }
  const options = { apiUrl, ...keys, prices, timeoutMs: 60_000, longestWaitMs: 60_000 }
  const api = await createTestApi({ billing: stripeBilling(options) })
  const { store } = api.services
  const other = await createTestApi({ billing: stripeBilling(options), store })

  const post = (owner: CreatedOwner, path: string, body?: object) =>
    api.call(owner.session_token, 'POST', `/v1/billing/${path}`, body)
  /** Posts an event as Stripe does. Returns the status of the answer. */
  const deliver = async ({ payload, headers }: SignedEvent, to = api) =>
    (await to.app.inject({ method: 'POST', url: '/webhooks/stripe', payload, headers })).statusCode
  return {
    stripe,
    api,
    other,
    post,
    deliver,
    billingOf: async (owner: CreatedOwner) => (await api.call(owner.session_token, 'GET', '/v1/billing')).body,
    usageOf: async (owner: CreatedOwner) => (await api.call(owner.api_key, 'GET', '/v1/usage')).body,
    /** The lines of the audit log about billing, the oldest first. */
    async auditOf(owner: CreatedOwner) {
      const { body } = await api.call(owner.session_token, 'GET', '/v1/team/audit')
      const events = (body as { data?: { action: string; actor: { label: string }; metadata: object }[] }).data ?? []
      return events.filter(({ action }) => action.startsWith('billing.')).reverse()
    },
    /** A team that has paid for a plan. */
    async subscribed(body: object = { plan: 'pro' }, from: Tier = 'free') {
      const owner = await api.owner({ plan: from, serp: false })
      const { status } = await post(owner, 'checkout', body)
      const { customer } = stripe.pay()
      const subscription = stripe.subscriptions.at(-1)
      if (!subscription || (await deliver(stripe.subscriptionEvent('created'))) !== 204)
        throw new Error(`the team has no subscription; the checkout was ${status}`)
      return { owner, customer, subscription }
    },
    /** A team that has paid for credits; Stripe has not told yet. */
    async creditsPaid() {
      const owner = await api.owner({ plan: 'lite' })
      const { status } = await post(owner, 'credits', { runs: 5000 })
      if (status !== 200) throw new Error(`the checkout was ${status}`)
      return { owner, session: stripe.pay() }
    },
    async close() {
      await other.close()
      await api.close()
      await stripe[Symbol.asyncDispose]()
    },
  }
}
export type PaidInstallation = Awaited<ReturnType<typeof openPaidInstallation>>
