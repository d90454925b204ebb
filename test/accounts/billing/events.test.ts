import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BillingWorld, openBillingWorld } from './billing-world.ts'
import { shownSession } from './stripe-server.ts'

let world: BillingWorld
beforeAll(async () => {
  world = await openBillingWorld()
})
afterAll(() => world.close())
beforeEach(() => {
  world.stripe.failing = world.stripe.before = null
})

describe('events', () => {
  test('that are forged, changed, unsigned, old or empty are 401 and change nothing', async () => {
    const { owner, subscription } = await world.subscribed()
    subscription.status = 'canceled'
    const good = world.stripe.subscriptionEvent('deleted')
    const hourAgo = Math.floor(Date.now() / 1000) - 3600
    const object = { customer: subscription.customer }
    for (const event of [
      world.stripe.event('customer.subscription.deleted', object, { secret: 'whsec_of_somebody_else' }),
      world.stripe.event('customer.subscription.deleted', object, { timestamp: hourAgo }),
      { ...good, payload: good.payload.replace('deleted', 'updated') },
      { ...good, headers: { 'content-type': 'application/json' } },
      { ...good, headers: { ...good.headers, 'stripe-signature': 't=1,v1=00' } },
      { ...good, payload: '' },
      { payload: 'not JSON', headers: good.headers },
    ])
      expect(await world.deliver(event)).toBe(401)
    expect(await world.usageOf(owner)).toMatchObject({ tier: 'pro' })
    expect(await world.deliver(good)).toBe(204)
    expect(await world.usageOf(owner)).toMatchObject({ tier: 'free' })
  })

  test('in any order and number leave what Stripe has now', async () => {
    const { owner, subscription } = await world.subscribed({ plan: 'lite' })
    const created = world.stripe.subscriptionEvent('created')
    subscription.price = 'price_pro'
    const updated = world.stripe.subscriptionEvent('updated')
    for (const event of [updated, created, updated, created]) expect(await world.deliver(event)).toBe(204)
    expect(await world.usageOf(owner)).toMatchObject({ tier: 'pro' })
    subscription.status = 'canceled'
    const deleted = world.stripe.subscriptionEvent('deleted')
    await Promise.all(
      [deleted, updated, created, deleted].map((event, at) => world.deliver(event, at % 2 ? world.api : world.other)),
    )
    expect(await world.usageOf(owner)).toMatchObject({ tier: 'free', runsPeriodIsBilling: false })
    const changes = (await world.auditOf(owner)).filter(({ action }) => action === 'billing.plan_changed')
    expect(changes.map(({ metadata }) => metadata)).toMatchObject([{ to: 'lite' }, { to: 'pro' }, { to: 'free' }])
  })

  test('an answer of Stripe that is overtaken by a later one is not written', async () => {
    const { owner, subscription } = await world.subscribed({ plan: 'lite' })
    let release = () => {}
    const isHeld = Promise.withResolvers<void>()
    let count = 0
    world.stripe.before = async (call) => {
      if (!call.startsWith('GET /v1/subscriptions?') || (count += 1) > 1) return
      await new Promise<void>((resolve) => {
        release = resolve
        isHeld.resolve()
      })
    }
    const slow = world.deliver(world.stripe.subscriptionEvent('updated'))
    await isHeld.promise
    // The slow answer would say lite, had Stripe made it when it was asked: here it is made when it is released.
    subscription.price = 'price_pro'
    expect(await world.deliver(world.stripe.subscriptionEvent('updated'), world.other)).toBe(204)
    subscription.price = 'price_lite'
    const calls = world.stripe.calls.length
    release()
    expect(await slow).toBe(204)
    // It was asked again, since another event was written meanwhile.
    expect(world.stripe.calls.length - calls).toBe(1)
    expect(await world.usageOf(owner)).toMatchObject({ tier: 'lite' })
  })

  test('of a subscription whose price is in no setting are asked for again, and the plan stays', async () => {
    const { owner, subscription } = await world.subscribed()
    subscription.price = 'price_of_nothing'
    expect(await world.deliver(world.stripe.subscriptionEvent('updated'))).toBe(503)
    expect(await world.usageOf(owner)).toMatchObject({ tier: 'pro' })
    // Cancelling works meanwhile.
    expect(await world.post(owner, 'cancel')).toMatchObject({ status: 200 })
    expect(await world.usageOf(owner)).toMatchObject({ tier: 'pro' })
    subscription.price = 'price_pro_old'
    expect(await world.deliver(world.stripe.subscriptionEvent('updated'))).toBe(204)
  })

  test('of customers and kinds that are not ours are done with', async () => {
    for (const event of [
      world.stripe.event('customer.subscription.updated', { customer: 'cus_of_somebody_else' }),
      world.stripe.event('invoice.paid', { customer: 'cus_of_somebody_else' }),
      world.stripe.event('checkout.session.completed', {
        id: 'cs_1',
        mode: 'payment',
        payment_status: 'paid',
        metadata: null,
      }),
    ])
      expect(await world.deliver(event)).toBe(204)
  })

  test('while Stripe does not answer are 503, so that it sends them again', async () => {
    const { owner, subscription } = await world.subscribed()
    subscription.status = 'canceled'
    world.stripe.failing = 500
    expect(await world.deliver(world.stripe.subscriptionEvent('deleted'))).toBe(503)
    expect(await world.usageOf(owner)).toMatchObject({ tier: 'pro' })
    world.stripe.failing = null
    expect(await world.deliver(world.stripe.subscriptionEvent('deleted'))).toBe(204)
    expect(await world.usageOf(owner)).toMatchObject({ tier: 'free' })
  })
})

describe('a subscription', () => {
  test('that is cancelled holds until its period ends; then monitors are locked and credits kept', async () => {
    const { owner, subscription } = await world.subscribed()
    await world.api.sql(`update team_usage set credits = 9 where team_id = '${owner.team_id}'`)
    const made = await world.api.call(owner.api_key, 'POST', '/v1/monitors', {
      name: 'M',
      url: 'https://example.com/',
      schedule_interval_seconds: 3600,
      extract_config: { method: 'full_page' },
      diff_predicate: { type: 'any_field_changes' },
    })
    expect(made.status).toBe(201)
    const { status, body } = await world.post(owner, 'cancel')
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { tier: 'pro', subscription: { cancel_at_period_end: true } },
    })
    // Its event comes too, and a second request.
    expect(await world.deliver(world.stripe.subscriptionEvent('updated'))).toBe(204)
    expect(await world.post(owner, 'cancel')).toMatchObject({ status: 200 })
    subscription.status = 'canceled'
    expect(await world.deliver(world.stripe.subscriptionEvent('deleted'))).toBe(204)
    expect(await world.usageOf(owner)).toMatchObject({
      tier: 'free',
      trialActive: false,
      monitorsLocked: 1,
      runCredits: 9,
    })
    expect(await world.post(owner, 'resume')).toMatchObject({ status: 409 })
    expect((await world.auditOf(owner)).slice(2)).toMatchObject([
      { action: 'billing.cancelled', actor: { label: owner.email } },
      { action: 'billing.plan_changed', metadata: { from: 'pro', to: 'free', status: 'canceled' } },
    ])
    // Another one opens what was locked, at once.
    expect(await world.post(owner, 'checkout', { plan: 'lite' })).toMatchObject({ status: 200 })
    world.stripe.pay()
    expect(await world.deliver(world.stripe.subscriptionEvent('created'))).toBe(204)
    expect(await world.usageOf(owner)).toMatchObject({
      tier: 'lite',
      monitorsLocked: 0,
      monitorsActive: 1,
      runCredits: 9,
    })
  })

  test('a cancellation is taken back, also one that the portal made with a date', async () => {
    const { owner, subscription } = await world.subscribed()
    expect(await world.post(owner, 'cancel')).toMatchObject({ status: 200 })
    expect(await world.post(owner, 'resume')).toMatchObject({ body: { subscription: { cancel_at_period_end: false } } })
    subscription.cancelAt = Math.floor(Date.now() / 1000) + 3600
    expect(await world.deliver(world.stripe.subscriptionEvent('updated'))).toBe(204)
    expect(await world.billingOf(owner)).toMatchObject({ subscription: { cancel_at_period_end: true } })
    expect(await world.post(owner, 'resume')).toMatchObject({ body: { subscription: { cancel_at_period_end: false } } })
    const actions = (await world.auditOf(owner)).slice(2).map(({ action, actor }) => `${action} ${actor.label}`)
    expect(actions).toEqual([
      `billing.cancelled ${owner.email}`,
      `billing.resumed ${owner.email}`,
      'billing.cancelled System',
      `billing.resumed ${owner.email}`,
    ])
  })

  test('whose payment failed keeps its plan while Stripe tries again, and loses it when Stripe gives up', async () => {
    const { owner, subscription } = await world.subscribed()
    for (const [status, tier] of [
      ['past_due', 'pro'],
      ['unpaid', 'free'],
      ['active', 'pro'],
      ['paused', 'free'],
    ] as const) {
      subscription.status = status
      expect(await world.deliver(world.stripe.subscriptionEvent('updated'))).toBe(204)
      expect(await world.usageOf(owner)).toMatchObject({ tier })
      expect(await world.billingOf(owner)).toMatchObject({ subscription: { status } })
    }
  })

  test('that was never paid leaves the plan as it is', async () => {
    const owner = await world.api.owner({ plan: 'starter', serp: false })
    await world.post(owner, 'checkout', { plan: 'pro' })
    world.stripe.pay()
    for (const status of ['incomplete', 'incomplete_expired'] as const) {
      world.stripe.subscriptions.at(-1)!.status = status
      expect(await world.deliver(world.stripe.subscriptionEvent('created'))).toBe(204)
      expect(await world.usageOf(owner)).toMatchObject({ tier: 'starter', runsPeriodIsBilling: false })
    }
  })

  test('of another plan keeps the period and what was used in it', async () => {
    const { owner, subscription } = await world.subscribed({ plan: 'lite' })
    await world.api.sql(`update team_usage set runs_used = 70 where team_id = '${owner.team_id}'`)
    const before = await world.usageOf(owner)
    subscription.price = 'price_pro'
    expect(await world.deliver(world.stripe.subscriptionEvent('updated'))).toBe(204)
    const after = await world.usageOf(owner)
    expect(after).toMatchObject({ tier: 'pro', runs: { used: 70, limit: 15_000 } })
    expect([after['runsPeriodStart'], after['runsResetAt']]).toEqual([before['runsPeriodStart'], before['runsResetAt']])
  })

  test('that began on a 31st has periods that end on the last day of shorter months', async () => {
    const { owner, subscription } = await world.subscribed()
    subscription.anchor = Date.parse('2026-01-31T10:00:00Z') / 1000
    expect(await world.deliver(world.stripe.subscriptionEvent('updated'))).toBe(204)
    const { runsPeriodStart, runsResetAt } = await world.usageOf(owner)
    for (const instant of [runsPeriodStart, runsResetAt]) {
      const date = new Date(String(instant))
      const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
      expect([date.getUTCDate(), date.getUTCHours()]).toEqual([Math.min(31, last), 10])
    }
    expect(Date.parse(String(runsPeriodStart))).toBeLessThanOrEqual(Date.now())
    expect(Date.parse(String(runsResetAt))).toBeGreaterThan(Date.now())
  })
})

describe('run credits', () => {
  test('are added when they are paid, once, however often Stripe tells of it, in both processes', async () => {
    const { owner, session } = await world.creditsPaid()
    const completed = world.stripe.event('checkout.session.completed', shownSession(session))
    const again = world.stripe.event('checkout.session.async_payment_succeeded', shownSession(session))
    const tells = [completed, again, completed, completed, again].map((event, at) =>
      world.deliver(event, at % 2 ? world.api : world.other),
    )
    expect(await Promise.all(tells)).toEqual([204, 204, 204, 204, 204])
    expect(await world.usageOf(owner)).toMatchObject({ runCredits: 5000, tier: 'lite' })
    expect(await world.auditOf(owner)).toMatchObject([
      { action: 'billing.checkout_started', metadata: { runs: 5000 } },
      { action: 'billing.credits_purchased', actor: { label: owner.email }, metadata: { runs: 5000 } },
    ])
  })

  test('that are paid days later wait for the payment', async () => {
    const { owner, session } = await world.creditsPaid()
    const unpaid = { ...shownSession(session), payment_status: 'unpaid' }
    expect(await world.deliver(world.stripe.event('checkout.session.completed', unpaid))).toBe(204)
    expect(await world.usageOf(owner)).toMatchObject({ runCredits: 0 })
    expect(
      await world.deliver(world.stripe.event('checkout.session.async_payment_succeeded', shownSession(session))),
    ).toBe(204)
    expect(await world.usageOf(owner)).toMatchObject({ runCredits: 5000 })
  })

  test('of a customer are never added to the team of another', async () => {
    const { owner, session } = await world.creditsPaid()
    const { owner: stranger } = await world.creditsPaid()
    const forged = { ...shownSession(session), metadata: { ...session.metadata, team_id: stranger.team_id } }
    expect(await world.deliver(world.stripe.event('checkout.session.completed', forged))).toBe(204)
    for (const one of [owner, stranger]) expect(await world.usageOf(one)).toMatchObject({ runCredits: 0 })
  })
})
