import pg from 'pg'
import { sql } from 'slonik'
import Type from 'typebox'
import { beforeEach, describe, expect, test } from 'vitest'
import { takeEvent } from '../../../accounts/billing/take-event.ts'
import { listCustomers } from '../../../store/accounts/team/subscriptions.ts'
import { rowOf } from '../../../store/db/row.ts'
import { shownSession } from '../../support/api/stripe-server.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'
import { openPaidInstallation } from './paid-installation.ts'

const tierOf = (teamId: string) => sql.type(rowOf(Type.Object({ tier: Type.String() })))`
  select tier from teams where id = ${teamId}::uuid`

const installation = shared(openPaidInstallation)
beforeEach(() => {
  installation.stripe.failing = installation.stripe.before = null
})

describe('events', () => {
  test('that are forged, changed, unsigned, old or empty are 401 and change nothing', async () => {
    const { owner, subscription } = await installation.subscribed()
    subscription.status = 'canceled'
    const good = installation.stripe.subscriptionEvent('deleted')
    const hourAgo = Math.floor(Date.now() / 1000) - 3600
    const object = { customer: subscription.customer }
    for (const event of [
      installation.stripe.event('customer.subscription.deleted', object, { secret: 'whsec_of_somebody_else' }),
      installation.stripe.event('customer.subscription.deleted', object, { timestamp: hourAgo }),
      { ...good, payload: good.payload.replace('deleted', 'updated') },
      { ...good, headers: { 'content-type': 'application/json' } },
      { ...good, headers: { ...good.headers, 'stripe-signature': 't=1,v1=00' } },
      { ...good, payload: '' },
      { payload: 'not JSON', headers: good.headers },
    ])
      expect(await installation.deliver(event)).toBe(401)
    expect(await installation.usageOf(owner)).toMatchObject({ tier: 'pro' })
    expect(await installation.deliver(good)).toBe(204)
    expect(await installation.usageOf(owner)).toMatchObject({ tier: 'free' })
  })

  test('in any order and number leave what Stripe has now', async () => {
    const { owner, subscription } = await installation.subscribed({ plan: 'lite' })
    const created = installation.stripe.subscriptionEvent('created')
    subscription.price = 'price_pro'
    const updated = installation.stripe.subscriptionEvent('updated')
    for (const event of [updated, created, updated, created]) expect(await installation.deliver(event)).toBe(204)
    expect(await installation.usageOf(owner)).toMatchObject({ tier: 'pro' })
    subscription.status = 'canceled'
    const deleted = installation.stripe.subscriptionEvent('deleted')
    await Promise.all(
      [deleted, updated, created, deleted].map((event, at) =>
        installation.deliver(event, at % 2 ? installation.api : installation.other),
      ),
    )
    expect(await installation.usageOf(owner)).toMatchObject({ tier: 'free', runsPeriodIsBilling: false })
    const changes = (await installation.auditOf(owner)).filter(({ action }) => action === 'billing.plan_changed')
    expect(changes.map(({ metadata }) => metadata)).toMatchObject([{ to: 'lite' }, { to: 'pro' }, { to: 'free' }])
  })

  test('of a team that was deleted while its checkout was open end the subscription, and change nothing', async () => {
    const owner = await installation.api.owner({ plan: 'free', serp: false })
    expect((await installation.post(owner, 'checkout', { plan: 'pro' })).status).toBe(200)
    const deleted = await installation.api.call(owner.session_token, 'DELETE', '/v1/account', { email: owner.email })
    expect(deleted.status).toBe(204)
    installation.stripe.pay()
    const created = installation.stripe.subscriptionEvent('created')
    installation.stripe.failing = 500
    expect(await installation.deliver(created)).toBe(503)
    installation.stripe.failing = null
    expect(await installation.deliver(created)).toBe(204)
    expect(installation.stripe.subscriptions.at(-1)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    expect(await installation.deliver(created, installation.other)).toBe(204)
    const { store } = installation.api.services
    expect(await store.oneFirst(tierOf(owner.team_id))).toBe('free')
  })

  test('of a team that is deleted while Stripe is asked end the subscription, and give it no plan', async () => {
    const owner = await installation.api.owner({ plan: 'free', serp: false })
    expect((await installation.post(owner, 'checkout', { plan: 'pro' })).status).toBe(200)
    const { customer } = installation.stripe.pay()
    installation.stripe.before = async (call) => {
      if (!call.startsWith('GET /v1/subscriptions?')) return
      installation.stripe.before = null
      const confirmed = { email: owner.email }
      const deleted = await installation.api.call(owner.session_token, 'DELETE', '/v1/account', confirmed)
      expect(deleted.status).toBe(204)
    }
    expect(await installation.deliver(installation.stripe.subscriptionEvent('created'))).toBe(204)
    expect(installation.stripe.before).toBeNull()
    const { store } = installation.api.services
    expect(await store.oneFirst(tierOf(owner.team_id))).toBe('free')
    expect(installation.stripe.subscriptions.at(-1)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    // A later look at all customers finds it too, and one at the address of the account that is gone does not.
    expect(await listCustomers(store, null)).toContain(customer)
    expect(await listCustomers(store, owner.email)).toEqual([])
  })

  test('an answer of Stripe that is overtaken by a later one is not written', async () => {
    const { owner, subscription } = await installation.subscribed({ plan: 'lite' })
    let release = () => {}
    const isHeld = Promise.withResolvers<void>()
    let count = 0
    installation.stripe.before = async (call) => {
      if (!call.startsWith('GET /v1/subscriptions?') || (count += 1) > 1) return
      await new Promise<void>((resolve) => {
        release = resolve
        isHeld.resolve()
      })
    }
    const slow = installation.deliver(installation.stripe.subscriptionEvent('updated'))
    await isHeld.promise
    // The slow answer would say lite, had Stripe made it when it was asked: here it is made when it is released.
    subscription.price = 'price_pro'
    expect(await installation.deliver(installation.stripe.subscriptionEvent('updated'), installation.other)).toBe(204)
    subscription.price = 'price_lite'
    const calls = installation.stripe.calls.length
    release()
    expect(await slow).toBe(204)
    // It was asked again, since another event was written meanwhile.
    expect(installation.stripe.calls.length - calls).toBe(1)
    expect(await installation.usageOf(owner)).toMatchObject({ tier: 'lite' })
  })

  test('of a subscription whose price is in no setting are asked for again, and the plan stays', async () => {
    const { owner, subscription } = await installation.subscribed()
    subscription.price = 'price_of_nothing'
    expect(await installation.deliver(installation.stripe.subscriptionEvent('updated'))).toBe(503)
    expect(await installation.usageOf(owner)).toMatchObject({ tier: 'pro' })
    // Cancelling works meanwhile.
    expect(await installation.post(owner, 'cancel')).toMatchObject({ status: 200 })
    expect(await installation.usageOf(owner)).toMatchObject({ tier: 'pro' })
    subscription.price = 'price_pro_old'
    expect(await installation.deliver(installation.stripe.subscriptionEvent('updated'))).toBe(204)
  })

  test('of customers and kinds that are not ours are done with', async () => {
    for (const event of [
      installation.stripe.event('customer.subscription.updated', { customer: 'cus_of_somebody_else' }),
      installation.stripe.event('invoice.paid', { customer: 'cus_of_somebody_else' }),
      installation.stripe.event('checkout.session.completed', {
        id: 'cs_1',
        mode: 'payment',
        payment_status: 'paid',
        metadata: null,
      }),
    ])
      expect(await installation.deliver(event)).toBe(204)
  })

  test('while Stripe does not answer are 503, so that it sends them again', async () => {
    const { owner, subscription } = await installation.subscribed()
    subscription.status = 'canceled'
    installation.stripe.failing = 500
    expect(await installation.deliver(installation.stripe.subscriptionEvent('deleted'))).toBe(503)
    expect(await installation.usageOf(owner)).toMatchObject({ tier: 'pro' })
    installation.stripe.failing = null
    expect(await installation.deliver(installation.stripe.subscriptionEvent('deleted'))).toBe(204)
    expect(await installation.usageOf(owner)).toMatchObject({ tier: 'free' })
  })
})

describe('a subscription', () => {
  test('that is cancelled holds until its period ends; then monitors are locked and credits kept', async () => {
    const { owner, subscription } = await installation.subscribed()
    await installation.api.sql(`update team_usage set credits = 9 where team_id = '${owner.team_id}'`)
    const made = await installation.api.call(owner.api_key, 'POST', '/v1/monitors', {
      name: 'M',
      url: 'https://example.com/',
      schedule_interval_seconds: 3600,
      extract_config: { method: 'full_page' },
      diff_predicate: { type: 'any_field_changes' },
    })
    expect(made.status).toBe(201)
    const { status, body } = await installation.post(owner, 'cancel')
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { tier: 'pro', subscription: { cancel_at_period_end: true } },
    })
    // Its event comes too, and a second request.
    expect(await installation.deliver(installation.stripe.subscriptionEvent('updated'))).toBe(204)
    expect(await installation.post(owner, 'cancel')).toMatchObject({ status: 200 })
    subscription.status = 'canceled'
    expect(await installation.deliver(installation.stripe.subscriptionEvent('deleted'))).toBe(204)
    expect(await installation.usageOf(owner)).toMatchObject({
      tier: 'free',
      trialActive: false,
      monitorsLocked: 1,
      runCredits: 9,
    })
    expect(await installation.post(owner, 'resume')).toMatchObject({ status: 409 })
    expect((await installation.auditOf(owner)).slice(2)).toMatchObject([
      { action: 'billing.cancelled', actor: { label: owner.email } },
      { action: 'billing.plan_changed', metadata: { from: 'pro', to: 'free', status: 'canceled' } },
    ])
    // Another one opens what was locked, at once.
    expect(await installation.post(owner, 'checkout', { plan: 'lite' })).toMatchObject({ status: 200 })
    installation.stripe.pay()
    expect(await installation.deliver(installation.stripe.subscriptionEvent('created'))).toBe(204)
    expect(await installation.usageOf(owner)).toMatchObject({
      tier: 'lite',
      monitorsLocked: 0,
      monitorsActive: 1,
      runCredits: 9,
    })
  })

  test('a cancellation is taken back, also one that the portal made with a date', async () => {
    const { owner, subscription } = await installation.subscribed()
    expect(await installation.post(owner, 'cancel')).toMatchObject({ status: 200 })
    expect(await installation.post(owner, 'resume')).toMatchObject({
      body: { subscription: { cancel_at_period_end: false } },
    })
    subscription.cancelAt = Math.floor(Date.now() / 1000) + 3600
    expect(await installation.deliver(installation.stripe.subscriptionEvent('updated'))).toBe(204)
    expect(await installation.billingOf(owner)).toMatchObject({ subscription: { cancel_at_period_end: true } })
    expect(await installation.post(owner, 'resume')).toMatchObject({
      body: { subscription: { cancel_at_period_end: false } },
    })
    const actions = (await installation.auditOf(owner)).slice(2).map(({ action, actor }) => `${action} ${actor.label}`)
    expect(actions).toEqual([
      `billing.cancelled ${owner.email}`,
      `billing.resumed ${owner.email}`,
      'billing.cancelled System',
      `billing.resumed ${owner.email}`,
    ])
  })

  test('that ended before its event came is known to have ended once the owner asks for anything', async () => {
    for (const path of ['cancel', 'resume']) {
      const { owner, subscription } = await installation.subscribed()
      subscription.status = 'canceled'
      const answer = await installation.post(owner, path)
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } })
      expect(await installation.billingOf(owner)).toMatchObject({ tier: 'free', subscription: { status: 'canceled' } })
      expect((await installation.auditOf(owner)).at(-1)).toMatchObject({
        action: 'billing.plan_changed',
        actor: { label: 'System' },
      })
      expect(await installation.post(owner, 'checkout', { plan: 'pro' })).toMatchObject({ status: 200 })
    }
  })

  test('whose payment failed keeps its plan while Stripe tries again, and loses it when Stripe gives up', async () => {
    const { owner, subscription } = await installation.subscribed()
    for (const [status, tier] of [
      ['past_due', 'pro'],
      ['unpaid', 'free'],
      ['active', 'pro'],
      ['paused', 'free'],
    ] as const) {
      subscription.status = status
      expect(await installation.deliver(installation.stripe.subscriptionEvent('updated'))).toBe(204)
      expect(await installation.usageOf(owner)).toMatchObject({ tier })
      expect(await installation.billingOf(owner)).toMatchObject({ subscription: { status } })
    }
  })

  test('that was never paid leaves the plan as it is', async () => {
    const owner = await installation.api.owner({ plan: 'starter', serp: false })
    await installation.post(owner, 'checkout', { plan: 'pro' })
    installation.stripe.pay()
    for (const status of ['incomplete', 'incomplete_expired'] as const) {
      installation.stripe.subscriptions.at(-1)!.status = status
      expect(await installation.deliver(installation.stripe.subscriptionEvent('created'))).toBe(204)
      expect(await installation.usageOf(owner)).toMatchObject({ tier: 'starter', runsPeriodIsBilling: false })
    }
  })

  test('of another plan keeps the period and what was used in it', async () => {
    const { owner, subscription } = await installation.subscribed({ plan: 'lite' })
    await installation.api.sql(`update team_usage set runs_used = 70 where team_id = '${owner.team_id}'`)
    const before = await installation.usageOf(owner)
    subscription.price = 'price_pro'
    expect(await installation.deliver(installation.stripe.subscriptionEvent('updated'))).toBe(204)
    const after = await installation.usageOf(owner)
    expect(after).toMatchObject({ tier: 'pro', runs: { used: 70, limit: 15_000 } })
    expect([after['runsPeriodStart'], after['runsResetAt']]).toEqual([before['runsPeriodStart'], before['runsResetAt']])
  })

  test('that began on a 31st has periods that end on the last day of shorter months', async () => {
    const { owner, subscription } = await installation.subscribed()
    subscription.anchor = Date.parse('2026-01-31T10:00:00Z') / 1000
    expect(await installation.deliver(installation.stripe.subscriptionEvent('updated'))).toBe(204)
    const { runsPeriodStart, runsResetAt } = await installation.usageOf(owner)
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
    const { owner, session } = await installation.creditsPaid()
    const completed = installation.stripe.event('checkout.session.completed', shownSession(session))
    const again = installation.stripe.event('checkout.session.async_payment_succeeded', shownSession(session))
    const tells = [completed, again, completed, completed, again].map((event, at) =>
      installation.deliver(event, at % 2 ? installation.api : installation.other),
    )
    expect(await Promise.all(tells)).toEqual([204, 204, 204, 204, 204])
    expect(await installation.usageOf(owner)).toMatchObject({ runCredits: 5000, tier: 'lite' })
    expect(await installation.auditOf(owner)).toMatchObject([
      { action: 'billing.checkout_started', metadata: { runs: 5000 } },
      { action: 'billing.credits_purchased', actor: { label: owner.email }, metadata: { runs: 5000 } },
    ])
  })

  test('that are paid days later wait for the payment', async () => {
    const { owner, session } = await installation.creditsPaid()
    const unpaid = { ...shownSession(session), payment_status: 'unpaid' }
    expect(await installation.deliver(installation.stripe.event('checkout.session.completed', unpaid))).toBe(204)
    expect(await installation.usageOf(owner)).toMatchObject({ runCredits: 0 })
    expect(
      await installation.deliver(
        installation.stripe.event('checkout.session.async_payment_succeeded', shownSession(session)),
      ),
    ).toBe(204)
    expect(await installation.usageOf(owner)).toMatchObject({ runCredits: 5000 })
  })

  test('that are paid while the account is deleted are not added', async () => {
    const { owner, session } = await installation.creditsPaid()
    const { databaseUrl, services } = installation.api
    const holder = new pg.Client({ connectionString: databaseUrl })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from teams where id = $1 for no key update', [owner.team_id])
    const waiters = (wanted: number) =>
      eventually(
        () =>
          services.store.oneFirst(sql.type(rowOf(Type.Object({ count: Type.Integer() })))`
            select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
        (count) => count === wanted,
      )
    const deleted = installation.api.call(owner.session_token, 'DELETE', '/v1/account', { email: owner.email })
    await waiters(1)
    const told = installation.deliver(
      installation.stripe.event('checkout.session.completed', shownSession(session)),
      installation.other,
    )
    await waiters(2)
    await holder.query('commit')
    await holder.end()
    expect([(await deleted).status, await told]).toEqual([204, 204])
    const credits = await services.store.oneFirst(sql.type(rowOf(Type.Object({ credits: Type.Integer() })))`
      select credits from team_usage where team_id = ${owner.team_id}::uuid`)
    expect(credits).toBe(0)
  })

  test('of a customer are never added to the team of another', async () => {
    const { owner, session } = await installation.creditsPaid()
    const { owner: stranger } = await installation.creditsPaid()
    const forged = { ...shownSession(session), metadata: { ...session.metadata, team_id: stranger.team_id } }
    expect(await installation.deliver(installation.stripe.event('checkout.session.completed', forged))).toBe(204)
    for (const one of [owner, stranger]) expect(await installation.usageOf(one)).toMatchObject({ runCredits: 0 })
  })

  test('of a customer that was deleted and followed by another are not added in silence', async () => {
    const { owner, session } = await installation.creditsPaid()
    installation.stripe.deleteCustomer(session.customer)
    expect((await installation.post(owner, 'portal')).status).toBe(200)
    const { payload, headers } = installation.stripe.event('checkout.session.completed', shownSession(session))
    const errors: object[] = []
    const log = { error: (details: object) => void errors.push(details), warn: () => {} }
    const context = { ...installation.api.services, log }
    const taken = await takeEvent(context, Buffer.from(payload), headers['stripe-signature'] ?? '')
    expect([taken, errors]).toMatchObject([{ kind: 'done' }, [{ team: owner.team_id, customer: session.customer }]])
  })
})
