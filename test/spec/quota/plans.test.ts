import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tier } from '../../../schema/account/plan.ts'
import { SERVICE_NAMES, type ServiceName } from '../../../schema/monitor/delivery-services.ts'
import { grantCredits, setPlan } from '../../../store/accounts/admin-accounts.ts'
import { openStore, type Store } from '../../../store/db/client.ts'
import { createMonitor, MONITOR } from '../../support/api/monitor-requests.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { FOR_PROGRAMS, neededOf } from '../../support/services/every-service.ts'

let served: ServedApi
/** The store as another process has it: that of the administrator's commands. */
let elsewhere: Store
beforeAll(async () => {
  served = await serveApi()
  elsewhere = await openStore({ url: served.api.databaseUrl, name: 'another process', connections: 2 })
})
afterAll(async () => {
  await elsewhere.end()
  await served.close()
})

async function account(plan: Tier) {
  const client = await served.anotherTeam(plan)
  const { team_id: team, email } = client.owner
  return {
    ...client,
    usage: async () => (await client.get('/v1/usage')).body,
    set: (what: string) => served.api.sql(`update team_usage set ${what} where team_id = '${team}'`),
    setPlan: (tier: Tier, serp = false) => setPlan(elsewhere, email, tier, serp),
    grant: (runs: number) => grantCredits(elsewhere, email, runs),
  }
}

describe('usage summary', () => {
  const INTEGERS = ['monitorsActive', 'monitorsLocked', 'serpMonitorsLocked', 'llmCallsThisMonth', 'runCredits']
  const BOOLEANS = ['serpAllowed', 'serpViaCredits', 'trialActive', 'runsPeriodIsBilling']
  const POOLS = ['visualRuns', 'serpRuns']
  const ENDS = ['serpTrialEndsAt', 'trialEndsAt']
  const INSTANTS = ['runsPeriodStart', 'runsResetAt']
  const LIMITS = [
    'runsPerMonth',
    'visualRunsPerMonth',
    'serpRunsPerMonth',
    'serp',
    'retentionDays',
    'maxDeliveriesPerMonitor',
    'llmCallsPerMonth',
    'proxyBytesPerMonth',
    'screenshotBytesPerMonth',
  ]
  /** Beyond the contract. */
  const OURS = [
    'proxyBytesThisMonth',
    'screenshotBytesThisMonth',
    'configurationBytes',
    'serpProviderPagesThisMonth',
    'pace',
  ]
  const isInstant = (value: unknown) => typeof value === 'string' && new Date(value).toISOString() === value

  test.each(['free', 'lite', 'starter', 'pro', 'scale'] as const)('of %s has the fields of its table', async (plan) => {
    const usage = await (await account(plan)).usage()
    const named = [...INTEGERS, ...BOOLEANS, ...POOLS, ...ENDS, ...INSTANTS, 'runs', 'tier', 'limits', ...OURS]
    expect(Object.keys(usage).sort()).toEqual(named.sort())
    expect(Object.keys(usage['limits'] as object).sort()).toEqual(LIMITS.sort())
    expect(INTEGERS.filter((name) => !Number.isInteger(usage[name]))).toEqual([])
    expect(BOOLEANS.filter((name) => typeof usage[name] !== 'boolean')).toEqual([])
    expect(INSTANTS.filter((name) => !isInstant(usage[name]))).toEqual([])
    expect(ENDS.filter((name) => (plan === 'free' ? !isInstant(usage[name]) : usage[name] !== null))).toEqual([])
    const pool = { used: 0, limit: expect.any(Number) }
    for (const name of POOLS) expect(usage[name]).toEqual(plan === 'free' ? pool : null)
    expect(usage).toMatchObject({ runs: pool, tier: plan, trialActive: plan === 'free', runsPeriodIsBilling: false })
  })
})

describe('plans', () => {
  test('that are full of configurations refuse another one, and allow each edit that needs less', async () => {
    const client = await account('free')
    const { id } = await createMonitor(client, { name: MONITOR.name })
    const { used } = (await client.usage())['configurationBytes'] as { used: number }
    expect(used).toBeGreaterThan(0)
    const limits = JSON.stringify({ configurationBytes: used - 1 })
    await served.api.sql(`update teams set limits = '${limits}' where id = '${client.owner.team_id}'`)
    const refused = await client.post('/v1/monitors', MONITOR)
    expect(refused).toMatchObject({
      status: 429,
      body: { error: { code: 'TIER_LIMIT_EXCEEDED', details: [{ used, limit: used - 1, tier: 'free' }] } },
    })
    const patch = (name: string) => client.patch(`/v1/monitors/${String(id)}`, { name })
    expect(await patch(`${MONITOR.name}.`)).toMatchObject({ status: 429 })
    expect(await patch(MONITOR.name.slice(1))).toMatchObject({ status: 200 })
  })

  test('SERP plan variants have the same seats as the base plan', async () => {
    for (const plan of ['lite', 'starter', 'pro', 'scale'] as const) {
      const client = await account(plan)
      const seats = async () => (await client.get('/v1/team')).body['max_members']
      await client.setPlan(plan, false)
      const base = await seats()
      await client.setPlan(plan, true)
      expect([plan, await seats()]).toEqual([plan, base])
      expect(await client.usage()).toMatchObject({ limits: { serp: 'included' }, serpViaCredits: false })
    }
  })

  test('searches are part of the trial, with runs of their own, and of the plans with SERP only', async () => {
    const trial = await account('free')
    expect(await trial.usage()).toMatchObject({
      serpAllowed: true,
      serpViaCredits: false,
      serpRuns: { used: 0, limit: 100 },
      limits: { serp: 'trial' },
    })
    for (const plan of ['lite', 'starter', 'pro', 'scale'] as const) {
      const client = await account(plan)
      await client.setPlan(plan, false)
      const none = { serpAllowed: false, serpViaCredits: true, serpRuns: null, limits: { serp: 'none' } }
      expect([plan, await client.usage()]).toEqual([
        plan,
        expect.objectContaining({ ...none, limits: expect.anything() }),
      ])
      expect((await client.usage())['limits']).toMatchObject(none.limits)
      await client.grant(1)
      expect(await client.usage()).toMatchObject({ serpAllowed: true, serpViaCredits: true })
      await client.setPlan(plan, true)
      expect(await client.usage()).toMatchObject({ serpAllowed: true, serpViaCredits: false })
    }
  })

  test('on a plan, checks of pages, pictures and searches are counted in one pool', async () => {
    const client = await account('lite')
    const search = {
      name: 'S',
      keyword: 'kettle',
      schedule_interval_seconds: 600,
      target_domain: 'example.com',
      pages: 3,
    }
    const { id: page } = await createMonitor(client)
    const { id: picture } = await createMonitor(client, { visual_config: { enabled: true } })
    const { id: serp } = (await client.post('/v1/serp-monitors', search)).body
    const used = []
    for (const path of [`monitors/${page}`, `monitors/${picture}`, `serp-monitors/${serp}`]) {
      expect((await client.post(`/v1/${path}/run`)).status).toBe(200)
      used.push((await client.usage())['runs'])
    }
    expect(used).toEqual([1, 2, 5].map((count) => ({ used: count, limit: 1_000 })))
    expect(await client.usage()).toMatchObject({ visualRuns: null, serpRuns: null })
  })

  test('upgrading and credits, by another process, end a 429 at once', async () => {
    const client = await account('lite')
    await client.set('runs_used = runs_limit')
    // Each time another monitor: a second request for one gives the run that is queued.
    const run = async () => (await client.post(`/v1/monitors/${(await createMonitor(client)).id}/run`)).status
    expect(await run()).toBe(429)
    await client.grant(1)
    expect(await run()).toBe(200)
    expect(await client.usage()).toMatchObject({ runCredits: 0, runs: { used: 1_000, limit: 1_000 } })
    expect(await run()).toBe(429)
    await client.setPlan('starter')
    expect(await run()).toBe(200)
    expect(await client.usage()).toMatchObject({ tier: 'starter', runs: { used: 1_001, limit: 5_000 } })
  })

  test('a trial that is upgraded begins a period of a month with nothing used', async () => {
    const client = await account('free')
    await client.set('runs_used = 150, visual_used = 20')
    await client.setPlan('lite')
    const usage = await client.usage()
    expect(usage).toMatchObject({ runs: { used: 0, limit: 1_000 }, visualRuns: null, trialEndsAt: null })
    expect(Math.abs(Date.parse(String(usage['runsPeriodStart'])) - Date.now())).toBeLessThan(60_000)
  })

  test('a monitor with more deliveries than its plan allows keeps them; it is edited to fewer only', async () => {
    const client = await account('starter')
    const email = (n: number) => ({ type: 'email', to: `a${n}@example.com` })
    const { id } = await createMonitor(client, { deliveries: [email(1), email(2), email(3)] })
    await client.setPlan('free')
    const seen = (await client.get(`/v1/monitors/${id}`)).body
    expect(seen).toMatchObject({ status: 'active', deliveries: [{}, {}, {}] })
    expect(await client.post(`/v1/monitors/${id}/pause`)).toMatchObject({ status: 200 })
    expect(await client.post(`/v1/monitors/${id}/resume`)).toMatchObject({ status: 200 })
    for (const change of [
      { name: 'Other' },
      { deliveries: [email(1), email(2)] },
      { schedule_interval_seconds: 7200 },
    ]) {
      const { status, body } = await client.patch(`/v1/monitors/${id}`, change)
      expect({ change, status, code: body.error.code }).toEqual({ change, status: 429, code: 'TIER_LIMIT_EXCEEDED' })
    }
    expect(await client.patch(`/v1/monitors/${id}`, { name: 'Other', deliveries: [email(1)] })).toMatchObject({
      status: 200,
      body: { name: 'Other', deliveries: [{}] },
    })
    expect(await client.patch(`/v1/monitors/${id}`, { name: 'Another' })).toMatchObject({ status: 200 })
  })

  test('count a service as one delivery, whatever its options, and a digest too', async () => {
    const client = await account('lite')
    const to = (service: ServiceName) => ({
      ...{ type: 'webhook', service, url: 'https://example.com/', options: neededOf(service) },
      ...(!FOR_PROGRAMS.has(service) && { digest: { every_seconds: 3_600 } }),
    })
    for (const service of SERVICE_NAMES) {
      const { id } = await createMonitor(client, { deliveries: [to(service), to('telegram')] })
      const third = { deliveries: [to(service), to('telegram'), to('telegram')] }
      for (const over of [
        await client.post('/v1/monitors', { ...MONITOR, ...third }),
        await client.patch(`/v1/monitors/${String(id)}`, third),
      ])
        expect([service, over.status, over.body.error.code]).toEqual([service, 429, 'TIER_LIMIT_EXCEEDED'])
    }
  })

  test('a larger retention brings back what a smaller one hid', async () => {
    const client = await account('pro')
    const events = async () => (await client.get('/v1/deliveries')).body.retention as { cutoff_at: string }
    const before = await events()
    await client.setPlan('lite')
    expect(Date.parse((await events()).cutoff_at)).toBeGreaterThan(Date.parse(before.cutoff_at))
    await client.setPlan('pro')
    expect(Math.abs(Date.parse((await events()).cutoff_at) - Date.parse(before.cutoff_at))).toBeLessThan(60_000)
  })
})
