import { sql } from 'slonik'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { PLANS, TIERS, type Tier } from '../../../schema/account/plan.ts'
import { row } from '../../../store/db/row.ts'
import { createMonitor, faultsOf, MONITOR } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

describe('plan table', () => {
  test.each<[Tier, number, number, number, number, number, number]>([
    ['free', 200, 14, 1, 50, 0, 2],
    ['lite', 1_000, 90, 2, 250, 0, 2],
    ['starter', 5_000, 180, 3, 500, 52_428_800, 3],
    ['pro', 15_000, 365, 10, 5_000, 524_288_000, 10],
    ['scale', 100_000, 730, 25, 25_000, 5_368_709_120, 25],
  ])('%s', (tier, ...figures) => {
    const plan = PLANS[tier]
    const {
      runsPerMonth,
      retentionDays,
      maxDeliveriesPerMonitor,
      llmCallsPerMonth,
      proxyBytesPerMonth,
      maxTeamMembers,
    } = plan
    expect([
      runsPerMonth,
      retentionDays,
      maxDeliveriesPerMonitor,
      llmCallsPerMonth,
      proxyBytesPerMonth,
      maxTeamMembers,
    ]).toEqual(figures)
  })

  test.each(TIERS.map((tier) => [tier]))('the plan %s is shown with its limits in the usage summary', async (tier) => {
    const { maxTeamMembers: _seats, configurationBytes: limit, ...limits } = PLANS[tier]
    const { body } = await (await served.anotherTeam(tier)).get('/v1/usage')
    const runs = { used: 0, limit: limits.runsPerMonth }
    expect(body).toMatchObject({ tier, limits, runs, configurationBytes: { used: 0, limit } })
  })

  test('visual and SERP runs have pools of their own in the trial only', () => {
    expect(PLANS.free).toMatchObject({
      visualRunsPerMonth: 100,
      serpRunsPerMonth: 100,
      screenshotBytesPerMonth: 209_715_200,
    })
    for (const tier of ['lite', 'starter', 'pro', 'scale'] as const)
      expect(PLANS[tier]).toMatchObject({ visualRunsPerMonth: null, serpRunsPerMonth: null })
  })
})

describe('retention applies to run history and deliveries', () => {
  test.each<[Tier, number]>([
    ['free', 14],
    ['lite', 90],
    ['starter', 180],
    ['pro', 365],
    ['scale', 730],
  ])('%s: %i days', async (tier, days) => {
    const client = await served.anotherTeam(tier)
    const { id } = await createMonitor(client)
    const { services } = served.api
    const seed = async (age: string) => {
      const run = await seedRun(services, id, { age })
      return { run, delivery: await seedDelivery(services, run, { age, status: 'dead' }) }
    }
    const hidden = await seed(`${days} days 1 hour`)
    const kept = await seed(`${days - 1} days 23 hours`)
    const ids = async (path: string) => (await client.get(path)).body.data.map((one) => one['id'])
    expect(await ids(`/v1/monitors/${id}/runs`)).toEqual([kept.run])
    expect(await ids('/v1/deliveries')).toEqual([kept.delivery])
    expect((await client.get('/v1/deliveries')).body.retention).toMatchObject({ tier, retention_days: days })
    for (const [path, status] of [
      [`/v1/runs/${kept.run}`, 200],
      [`/v1/deliveries/${kept.delivery}`, 200],
      [`/v1/runs/${hidden.run}`, 404],
      [`/v1/deliveries/${hidden.delivery}`, 404],
    ] as const)
      expect([path, (await client.get(path)).status]).toEqual([path, status])
  })
})

const used = row({ runs_used: Type.Integer(), visual_used: Type.Integer(), credits: Type.Integer() })

describe('runs', () => {
  const pools = async (team: string) => {
    const { services } = served.api
    return services.store.one(sql.type(used)`
      select runs_used, visual_used, credits from team_usage where team_id = ${team}`)
  }

  test('a manual run uses one run of the pool, before credits', async () => {
    const client = await served.anotherTeam('pro')
    const { id } = await createMonitor(client)
    await served.api.sql(`update team_usage set credits = 5 where team_id = '${client.owner.team_id}'`)
    await client.post(`/v1/monitors/${id}/run`)
    expect(await pools(client.owner.team_id)).toEqual({ runs_used: 1, visual_used: 0, credits: 5 })
    await client.post(`/v1/monitors/${id}/run`)
    expect(await pools(client.owner.team_id)).toEqual({ runs_used: 1, visual_used: 0, credits: 5 })
  })

  test('on a paid plan a visual run is taken from the shared pool, in the trial from its own', async () => {
    const paid = await served.anotherTeam('lite')
    const trial = await served.anotherTeam('free')
    for (const client of [paid, trial]) {
      const { id } = await createMonitor(client, { visual_config: { enabled: true } })
      await client.post(`/v1/monitors/${id}/run`)
    }
    expect(await pools(paid.owner.team_id)).toMatchObject({ runs_used: 1, visual_used: 0 })
    expect(await pools(trial.owner.team_id)).toMatchObject({ runs_used: 0, visual_used: 1 })
  })

  test('when the pool is used up, credits are used, and none are owed', async () => {
    const client = await served.anotherTeam('lite')
    await served.api.sql(
      `update team_usage set runs_used = runs_limit, credits = 2 where team_id = '${client.owner.team_id}'`,
    )
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) {
      const { id } = await createMonitor(client)
      statuses.push((await client.post(`/v1/monitors/${id}/run`)).status)
    }
    expect(statuses).toEqual([200, 200, 429])
    expect(await pools(client.owner.team_id)).toEqual({ runs_used: 1000, visual_used: 0, credits: 0 })
  })

  test('runs asked for at the same time never overspend', async () => {
    const client = await served.anotherTeam('lite')
    const ids: string[] = []
    for (let i = 0; i < 8; i++) ids.push((await createMonitor(client)).id)
    await served.api.sql(
      `update team_usage set runs_used = runs_limit - 2, credits = 1 where team_id = '${client.owner.team_id}'`,
    )
    const answers = await Promise.all(ids.map((id) => client.post(`/v1/monitors/${id}/run`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(await pools(client.owner.team_id)).toEqual({ runs_used: 1000, visual_used: 0, credits: 0 })
  })

  test('the number of monitors is not capped', async () => {
    const client = await served.anotherTeam('free')
    for (let i = 0; i < 30; i++) await createMonitor(client)
    expect((await client.get('/v1/monitors?limit=1')).body.pagination).toMatchObject({ total: 30 })
  })
})

describe('intervals and sizes', () => {
  test('the minimum interval is 60 seconds on every plan', async () => {
    for (const tier of TIERS) {
      const client = await served.anotherTeam(tier)
      await createMonitor(client, { schedule_interval_seconds: 60 })
      expect(await faultsOf(client, { schedule_interval_seconds: 59 })).toEqual(['schedule_interval_seconds'])
    }
  })

  test('one monitor may have all at once: 25 webhooks with 20 headers of 2,048 characters each', async () => {
    const headers = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`x-${i}-`.padEnd(256, 'n'), 'v'.repeat(2_048)]),
    )
    const deliveries = Array.from({ length: 25 }, () => ({ type: 'webhook', url: 'https://example.com/', headers }))
    const given = {
      deliveries,
      request_headers: headers,
      request_config: { method: 'POST', body: '🫖'.repeat(100_000) },
    }
    const { id } = await createMonitor(served.me, given)
    expect((await served.me.get(`/v1/monitors/${id}`)).body).toMatchObject(given)
    const escaped = JSON.stringify({ ...MONITOR, ...given }).replaceAll('🫖', '\\ud83e\\uded6')
    expect((await served.me.post('/v1/monitors', escaped)).status).toBe(201)
  })

  test('a request body of 100,000 characters is taken however it is escaped', async () => {
    const request_config = { method: 'POST', body: 'é'.repeat(100_000) }
    expect(await createMonitor(served.me, { request_config })).toMatchObject({ request_config })
    const escaped = JSON.stringify({ name: 'a', request_config }).replaceAll('é', '\\u00e9')
    const rest = {
      url: 'https://example.com/',
      schedule_interval_seconds: 60,
      extract_config: { method: 'full_page' },
      diff_predicate: { type: 'any_field_changes' },
    }
    const body = `${escaped.slice(0, -1)},${JSON.stringify(rest).slice(1)}`
    expect((await served.me.post('/v1/monitors', body)).status).toBe(201)
  })
})
