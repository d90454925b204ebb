import { beforeEach, describe, expect, test } from 'vitest'
import { readPrices } from '../../../core/plan/read-prices.ts'
import { shownSession } from '../../support/api/stripe-server.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'
import { openPaidInstallation } from './paid-installation.ts'

const installation = shared(openPaidInstallation)
beforeEach(() => {
  installation.stripe.failing = installation.stripe.before = null
})

describe('without payments', () => {
  test('the administrator decides: the plan is shown, and nothing can be bought', async () => {
    const manual = await createTestApi()
    const owner = await manual.owner({ plan: 'starter', serp: false })
    expect((await manual.call(owner.session_token, 'GET', '/v1/billing')).body).toEqual({
      provider: 'manual',
      tier: 'starter',
      serp: 'none',
      subscription: null,
      run_credits: 0,
      plans: [],
      credit_packs: [],
    })
    const bodies = { checkout: { plan: 'pro' }, credits: { runs: 5 }, portal: {}, cancel: {}, resume: {} }
    for (const [path, body] of Object.entries(bodies)) {
      const { status, body: answer } = await manual.call(owner.session_token, 'POST', `/v1/billing/${path}`, body)
      expect({ path, status, code: answer.error.code }).toEqual({ path, status: 409, code: 'CONFLICT' })
      expect(answer.error.message).toContain('administrator')
    }
    const event = installation.stripe.event('customer.subscription.updated', { customer: 'cus_1' })
    expect(await installation.deliver(event, manual)).toBe(404)
    await manual.close()
  })
})

describe('buying a plan', () => {
  test('opens a page of Stripe; what is paid there holds at once, with a period of billing', async () => {
    const owner = await installation.api.owner({ plan: 'free' })
    expect(await installation.billingOf(owner)).toMatchObject({
      provider: 'stripe',
      subscription: null,
      plans: [
        { plan: 'lite', serp: false },
        { plan: 'pro', serp: false },
        { plan: 'pro', serp: true },
      ],
      credit_packs: [1000, 5000],
    })
    const { status, body } = await installation.post(owner, 'checkout', { plan: 'pro', serp: true })
    expect({ status, body }).toEqual({ status: 200, body: { url: expect.stringContaining('https://checkout.') } })
    expect(installation.stripe.customers.at(-1)?.email).toBe(owner.email)
    expect(await installation.usageOf(owner)).toMatchObject({ tier: 'free', runsPeriodIsBilling: false })
    const session = installation.stripe.pay()
    expect(session).toMatchObject({ price: 'price_pro_serp', metadata: { team_id: owner.team_id } })
    expect(
      await installation.deliver(installation.stripe.event('checkout.session.completed', shownSession(session))),
    ).toBe(204)
    const { anchor } = installation.stripe.subscriptions.at(-1)!
    expect(await installation.usageOf(owner)).toMatchObject({
      tier: 'pro',
      runsPeriodIsBilling: true,
      runsPeriodStart: new Date(anchor * 1000).toISOString(),
      trialEndsAt: null,
      limits: { serp: 'included' },
    })
    expect(await installation.billingOf(owner)).toMatchObject({
      tier: 'pro',
      subscription: { status: 'active', cancel_at_period_end: false },
    })
    expect(await installation.auditOf(owner)).toMatchObject([
      { action: 'billing.checkout_started', actor: { label: owner.email }, metadata: { plan: 'pro', serp: true } },
      { action: 'billing.plan_changed', actor: { label: 'System' }, metadata: { from: 'free', to: 'pro' } },
    ])
  })

  test('what is not sold, or has another form, is 422 and names the field', async () => {
    const owner = await installation.api.owner({ plan: 'free' })
    for (const [path, body, field] of [
      ['checkout', { plan: 'scale' }, 'plan'],
      ['checkout', { plan: 'free' }, 'plan'],
      ['checkout', { plan: 'unlimited' }, 'plan'],
      ['checkout', {}, 'plan'],
      ['credits', { runs: 7 }, 'runs'],
      ['credits', { runs: -1 }, 'runs'],
    ] as const) {
      const { status, body: answer } = await installation.post(owner, path, body)
      expect({ body, status, path: answer.error.details[0]?.path }).toEqual({ body, status: 422, path: field })
    }
  })

  test('a team with a subscription is sent to the portal, and pays for no second one', async () => {
    const { owner, customer } = await installation.subscribed()
    const { status, body } = await installation.post(owner, 'checkout', { plan: 'lite' })
    expect({ status, message: body.error.message }).toEqual({
      status: 409,
      message: expect.stringContaining('/v1/billing/portal'),
    })
    expect((await installation.post(owner, 'portal')).body).toEqual({ url: `https://portal.example.com/${customer}` })
  })

  test('a checkout that was begun before is ended by the next; one that was paid meanwhile counts', async () => {
    const owner = await installation.api.owner({ plan: 'free' })
    await installation.post(owner, 'checkout', { plan: 'lite' })
    const first = installation.stripe.session()
    await installation.post(owner, 'checkout', { plan: 'pro' })
    expect(first.status).toBe('expired')
    installation.stripe.pay()
    // Its event is late.
    expect(await installation.post(owner, 'checkout', { plan: 'lite' })).toMatchObject({ status: 409 })
    expect(await installation.billingOf(owner)).toMatchObject({ tier: 'pro', subscription: { status: 'active' } })
  })

  test('two requests at once make one customer, and leave one open checkout', async () => {
    const owner = await installation.api.owner({ plan: 'free' })
    const before = { customers: installation.stripe.customers.length, sessions: installation.stripe.sessions.length }
    const ask = (to: TestApi) =>
      to.call(owner.session_token, 'POST', '/v1/billing/checkout', { plan: 'pro' }).then(({ status }) => status)
    expect(await Promise.all([ask(installation.api), ask(installation.other), ask(installation.api)])).toEqual([
      200, 200, 200,
    ])
    expect(installation.stripe.customers.length - before.customers).toBe(1)
    expect(installation.stripe.sessions.slice(before.sessions).map(({ status }) => status)).toEqual([
      'expired',
      'expired',
      'open',
    ])
  })

  test('while Stripe does not answer, forty requests of an owner keep no other team from the API', async () => {
    const owner = await installation.api.owner({ plan: 'lite' })
    const other = await installation.api.owner({ plan: 'lite' })
    expect((await installation.post(owner, 'credits', { runs: 5000 })).status).toBe(200)
    const answering = Promise.withResolvers<void>()
    installation.stripe.before = () => answering.promise
    const calls = installation.stripe.calls.length
    const asked = Array.from({ length: 40 }, () => installation.post(owner, 'portal'))
    await eventually(
      () => installation.stripe.calls.length,
      (count) => count > calls,
    )
    expect((await installation.api.call(other.api_key, 'GET', '/v1/monitors')).status).toBe(200)
    expect(installation.stripe.calls.length).toBe(calls + 1)
    answering.resolve()
    installation.stripe.before = null
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(40).fill(200))
  })

  test('while Stripe is away it is 503, and nothing is recorded', async () => {
    const owner = await installation.api.owner({ plan: 'free' })
    installation.stripe.failing = 500
    const { status, headers, body } = await installation.post(owner, 'checkout', { plan: 'pro' })
    expect({ status, retry: headers['retry-after'], code: body.error.code }).toEqual({
      status: 503,
      retry: '2',
      code: 'UNAVAILABLE',
    })
    installation.stripe.failing = null
    expect(await installation.auditOf(owner)).toEqual([])
    expect(await installation.post(owner, 'checkout', { plan: 'pro' })).toMatchObject({ status: 200 })
  })
})

describe('buying run credits after a trial without a plan', () => {
  const endTrial = ({ team_id: id }: { readonly team_id: string }) =>
    installation.api.sql(`update teams set trial_ends_at = clock() - interval '1 second' where id = '${id}'`)
  const message = expect.stringContaining('The trial is over and the team has no plan, so run credits would pay for')

  test('is refused with the reason: nothing is asked of Stripe or recorded until a plan holds', async () => {
    const owner = await installation.api.owner({ plan: 'free' })
    await endTrial(owner)
    const calls = installation.stripe.calls.length
    const { status, body } = await installation.post(owner, 'credits', { runs: 5000 })
    expect({ status, error: body.error }).toMatchObject({ status: 409, error: { code: 'CONFLICT', message } })
    expect(installation.stripe.calls).toHaveLength(calls)
    expect(await installation.auditOf(owner)).toEqual([])
    expect((await installation.post(owner, 'checkout', { plan: 'lite' })).status).toBe(200)
    installation.stripe.pay()
    expect(await installation.deliver(installation.stripe.subscriptionEvent('created'))).toBe(204)
    expect((await installation.post(owner, 'credits', { runs: 5000 })).status).toBe(200)
  })

  test('is refused after a plan was lost, also where the purchase itself finds that it was', async () => {
    const { owner, customer } = await installation.subscribed()
    expect((await installation.post(owner, 'credits', { runs: 5000 })).status).toBe(200)
    installation.stripe.deleteCustomer(customer)
    const { status, body } = await installation.post(owner, 'credits', { runs: 5000 })
    expect({ status, error: body.error }).toMatchObject({ status: 409, error: { message } })
    expect(await installation.billingOf(owner)).toMatchObject({ tier: 'free', run_credits: 0 })
  })

  test('is possible in the trial', async () => {
    const owner = await installation.api.owner({ plan: 'free' })
    expect((await installation.post(owner, 'credits', { runs: 5000 })).status).toBe(200)
  })
})

describe("a customer that was deleted in Stripe's dashboard", () => {
  test('is followed by a new one, at a checkout, a purchase of credits and in the portal', async () => {
    for (const [path, body] of [
      ['checkout', { plan: 'pro' }],
      ['credits', { runs: 5000 }],
      ['portal', undefined],
    ] as const) {
      const owner = await installation.api.owner({ plan: 'free' })
      expect((await installation.post(owner, 'checkout', { plan: 'lite' })).status).toBe(200)
      const { customer: gone } = installation.stripe.session()
      installation.stripe.deleteCustomer(gone)
      expect({ path, status: (await installation.post(owner, path, body)).status }).toEqual({ path, status: 200 })
      const next = installation.stripe.customers.at(-1)!
      expect(next).toMatchObject({ email: owner.email, id: expect.not.stringMatching(gone) })
      // The next request has that one too.
      const { body: opened } = await installation.post(owner, 'portal')
      expect({ path, opened }).toEqual({ path, opened: { url: `https://portal.example.com/${next.id}` } })
    }
  })

  test('can be deleted again the same day', async () => {
    const owner = await installation.api.owner({ plan: 'free' })
    const seen = new Set<string>()
    for (let round = 0; round < 3; round++) {
      expect((await installation.post(owner, 'credits', { runs: 5000 })).status).toBe(200)
      const { customer } = installation.stripe.session()
      seen.add(customer)
      installation.stripe.deleteCustomer(customer)
    }
    expect(seen.size).toBe(3)
  })

  test('leaves the plan that it paid for, and what the new one pays holds', async () => {
    const { owner, customer } = await installation.subscribed()
    installation.stripe.deleteCustomer(customer)
    // The events of the deletion are late.
    expect((await installation.post(owner, 'portal')).status).toBe(200)
    expect(await installation.billingOf(owner)).toMatchObject({ tier: 'free', subscription: { status: 'canceled' } })
    expect((await installation.post(owner, 'checkout', { plan: 'lite' })).status).toBe(200)
    installation.stripe.pay()
    expect(await installation.deliver(installation.stripe.subscriptionEvent('created'))).toBe(204)
    expect(await installation.deliver(installation.stripe.subscriptionEvent('deleted', customer))).toBe(204)
    expect(await installation.billingOf(owner)).toMatchObject({ tier: 'lite', subscription: { status: 'active' } })
  })

  test('ends its subscription by the event, which Stripe need not send again', async () => {
    const { owner, customer } = await installation.subscribed()
    installation.stripe.deleteCustomer(customer)
    expect(await installation.deliver(installation.stripe.subscriptionEvent('deleted', customer))).toBe(204)
    expect(await installation.billingOf(owner)).toMatchObject({ tier: 'free', subscription: { status: 'canceled' } })
    expect((await installation.post(owner, 'checkout', { plan: 'lite' })).status).toBe(200)
  })

  test('is not replaced where Stripe misses the subscription too: the key may be of another account', async () => {
    const { owner, customer, subscription } = await installation.subscribed()
    const { customers, subscriptions } = installation.stripe
    customers.splice(
      customers.findIndex(({ id }) => id === customer),
      1,
    )
    subscriptions.splice(subscriptions.indexOf(subscription), 1)
    expect((await installation.post(owner, 'portal')).status).toBe(503)
    expect(await installation.billingOf(owner)).toMatchObject({ tier: 'pro', subscription: { status: 'active' } })
  })
})

test('admins, members, viewers and keys are refused, with the advice to ask the owner', async () => {
  const owner = await installation.api.owner()
  for (const credential of [await installation.api.member(owner, 'admin'), owner.api_key]) {
    const { status, body } = await installation.api.call(credential, 'GET', '/v1/billing')
    expect(status).toBe(403)
    expect(body.error.message).toMatch(/manage billing \(billing\.manage\)\. Ask the owner\.$/)
  }
})

test('the settings of prices are refused with what is wrong', () => {
  expect(readPrices('{')).toContain('must be JSON')
  expect(readPrices('{}')).toBe('has no price')
  expect(readPrices('{"gold":"price_1"}')).toContain('gold')
  expect(readPrices('{"pro":"prod_1"}')).toContain('pro')
  expect(readPrices('{"credits":{"many":"price_1"}}')).toContain('credits')
  expect(readPrices('{"pro":"price_1","lite":"price_1"}')).toBe('has the price price_1 twice')
  expect(readPrices('{"pro":"price_2, price_1"}')).toEqual({
    plans: [{ tier: 'pro', serp: false, ids: ['price_2', 'price_1'] }],
    credits: [],
  })
})
