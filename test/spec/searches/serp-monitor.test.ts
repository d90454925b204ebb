import { describe, expect, test } from 'vitest'
import { pathsOf } from '../../support/api/monitor-requests.ts'
import { seedRun } from '../../support/api/seeded-runs.ts'
import { type Answer, type Client, serveApi } from '../../support/api/served-api.ts'
import { failTimes } from '../../support/database/check-states.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const SERP = '/v1/serp-monitors'
const KETTLE = { name: 'Kettle', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
const WEBHOOK = { type: 'webhook', url: 'https://hooks.example.com/a' }

async function create(client: Client, more: object = {}): Promise<Answer['body']> {
  const answer = await client.post(SERP, { ...KETTLE, ...more })
  expect(answer.body).not.toHaveProperty('error')
  expect(answer.status).toBe(201)
  return answer.body
}

const actionsOf = async (client: Client) =>
  (await client.get('/v1/team/audit?limit=100')).body.data
    .filter(({ target_type: type }) => type === 'serp_monitor')
    .map(({ action }) => action)
    .reverse()

describe('SERP monitor configuration', () => {
  test('the defaults are those of the table, and the record has what every monitor has', async () => {
    expect(await create(served.me)).toEqual({
      id: expect.stringMatching(UUID),
      user_id: served.owner.user_id,
      ...KETTLE,
      mode: 'rank_tracking',
      engine: 'google',
      location_code: 'us',
      language_code: 'en',
      device: 'desktop',
      pages: 1,
      rank_change_threshold: null,
      deliveries: [],
      notify_on: [],
      quiet_hours: null,
      message: null,
      digest: null,
      external_key: null,
      labels: {},
      managed_by: 'api',
      status: 'active',
      consecutive_failures: 0,
      last_run_at: null,
      next_run_at: expect.stringMatching(INSTANT),
      created_at: expect.stringMatching(INSTANT),
    })
  })

  test.each([
    { keyword: '"electric kettle" -gas' },
    { keyword: 'чайник' },
    { mode: 'full_analysis', target_domain: null },
    ...['google', 'bing', 'yahoo', 'duckduckgo', 'yandex'].map((engine) => ({ engine })),
    { target_domain: 'example.com/blog' },
    { target_domain: 'https://www.example.com/' },
    { engine: 'bing', target_domain: 'amazon' },
    { engine: 'bing', target_domain: '/blog' },
    { engine: 'bing', target_domain: '?q=kettle' },
    { engine: 'bing', target_domain: null },
    { engine: 'bing', mode: 'rank_tracking', target_domain: null },
    { location_code: 'gb', language_code: 'de' },
    { device: 'mobile' },
    { pages: 5 },
    { schedule_interval_seconds: 31_536_000 },
    { rank_change_threshold: 1 },
    { deliveries: [WEBHOOK, { type: 'email', to: 'a@example.com' }] },
  ])('takes %j and gives it back', async (given) => {
    const { id } = await create(served.me, given)
    expect((await served.me.get(`${SERP}/${id}`)).body).toMatchObject(given)
  })

  test.each([
    ['name', { name: '' }],
    ['name', { name: 'a'.repeat(201) }],
    ['keyword', { keyword: '' }],
    ['keyword', { keyword: '  ' }],
    ['keyword', { keyword: 'a\u0000b' }],
    ['mode', { mode: 'rank' }],
    ['engine', { engine: 'baidu' }],
    ['target_domain', { target_domain: '/' }],
    ['target_domain', { target_domain: 'https://' }],
    ['target_domain', { mode: 'full_analysis' }],
    ['location_code', { location_code: 'USA' }],
    ['location_code', { location_code: 'zz' }],
    ['language_code', { language_code: 'zz' }],
    ['language_code', { language_code: 'eng' }],
    ['device', { device: 'tablet' }],
    ['pages', { pages: 0 }],
    ['pages', { pages: 6 }],
    ['pages', { pages: '1' }],
    ['schedule_interval_seconds', { schedule_interval_seconds: 599 }],
    ['rank_change_threshold', { rank_change_threshold: 0 }],
    ['deliveries[0].url', { deliveries: [{ type: 'webhook', url: 'http://127.0.0.1/' }] }],
    ['url', { url: 'https://example.com/' }],
    ['extract_config', { extract_config: { method: 'full_page' } }],
  ])('%s is named where it is wrong: %j', async (path, given) => {
    expect(pathsOf(await served.me.post(SERP, { ...KETTLE, ...given }))).toEqual([path])
  })

  test('the codes of country and language are kept in lower case, however they are written', async () => {
    const { id, ...made } = await create(served.me, { engine: 'bing', location_code: 'GB', language_code: 'De' })
    expect(made).toMatchObject({ location_code: 'gb', language_code: 'de' })
    const path = `${SERP}/${id}`
    expect((await served.me.patch(path, { location_code: 'FR' })).body).toMatchObject({ location_code: 'fr' })
    const changes = async () => (await served.me.get('/v1/team/audit?action=serp_monitor.updated')).body.pagination
    const before = await changes()
    expect((await served.me.patch(path, { location_code: 'fR', language_code: 'DE' })).status).toBe(200)
    expect(await changes()).toEqual(before)
  })

  test.each(['name', 'keyword', 'schedule_interval_seconds'])('%s is required', async (key) => {
    const { [key]: _, ...rest }: Record<string, unknown> = KETTLE
    expect(pathsOf(await served.me.post(SERP, rest))).toEqual([key])
  })

  test('target_domain with mode full_analysis is 422, and the message says what to do', async () => {
    const answer = await served.me.post(SERP, { ...KETTLE, mode: 'full_analysis' })
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR' } } })
    expect(answer.body.error.details[0]?.message).toContain('leave it out')
  })

  test('switching to full_analysis clears target_domain, and back there is none until one is named', async () => {
    const { id } = await create(served.me, { rank_change_threshold: 2 })
    const switched = (await served.me.patch(`${SERP}/${id}`, { mode: 'full_analysis' })).body
    expect(switched).toMatchObject({ mode: 'full_analysis', target_domain: null, rank_change_threshold: 2 })
    const both = { mode: 'full_analysis', target_domain: 'a.example' }
    expect(pathsOf(await served.me.patch(`${SERP}/${id}`, both))).toEqual(['target_domain'])
    const back = (await served.me.patch(`${SERP}/${id}`, { mode: 'rank_tracking' })).body
    expect(back).toMatchObject({ mode: 'rank_tracking', target_domain: null })
    expect(back.warnings).toEqual([
      expect.stringContaining('rank_change_threshold fires nothing without target_domain'),
    ])
    const named = (await served.me.patch(`${SERP}/${id}`, { target_domain: 'a.example' })).body
    expect(named).toMatchObject({ mode: 'rank_tracking', target_domain: 'a.example' })
    expect(named).not.toHaveProperty('warnings')
  })

  test('more deliveries than the plan allows are TIER_LIMIT_EXCEEDED', async () => {
    const free = await served.anotherTeam('free')
    expect(await free.post(SERP, { ...KETTLE, deliveries: [WEBHOOK, WEBHOOK] })).toMatchObject({
      status: 429,
      body: { error: { code: 'TIER_LIMIT_EXCEEDED' } },
    })
  })
})

describe('the endpoints of SERP monitors', () => {
  test('list, read, change and delete them; monitors of pages are elsewhere', async () => {
    const client = await served.anotherTeam()
    const first = await create(client)
    const second = await create(client, { name: 'Other', engine: 'bing' })
    const page = (await client.post('/v1/monitors', PAGE)).body
    expect((await client.get(SERP)).body).toEqual({
      data: [second, first],
      pagination: { page: 1, limit: 20, total: 2, totalPages: 1, hasMore: false },
    })
    expect((await client.get(`${SERP}?name=oth`)).body.data).toEqual([second])
    expect((await client.get(`${SERP}?monitor_id=${first.id}`)).body.data).toEqual([first])
    expect((await client.get(`${SERP}?limit=1&page=2`)).body.data).toEqual([first])
    expect(pathsOf(await client.get(`${SERP}?status=error`))).toEqual(['status'])
    expect((await client.get('/v1/monitors')).body.data).toEqual([page])
    expect((await client.get(`${SERP}/${page.id}`)).status).toBe(404)
    expect((await client.get(`/v1/monitors/${first.id}`)).status).toBe(404)
    expect((await client.patch(`${SERP}/${first.id}`, {})).body).toEqual(first)
    expect((await client.patch(`${SERP}/${first.id}`, { pages: 2 })).body).toMatchObject({ pages: 2 })
    expect((await client.delete(`${SERP}/${first.id}`)).status).toBe(204)
    expect((await client.get(`${SERP}/${first.id}`)).status).toBe(404)
  })

  test('are for the team alone', async () => {
    const { id } = await create(served.me)
    const other = await served.anotherTeam()
    const answers = await Promise.all([
      other.get(`${SERP}/${id}`),
      other.patch(`${SERP}/${id}`, { name: 'Mine' }),
      other.delete(`${SERP}/${id}`),
      other.post(`${SERP}/${id}/pause`),
      other.post(`${SERP}/${id}/resume`),
      other.post(`${SERP}/${id}/run`),
      other.get(`${SERP}/${id}/runs`),
      other.get(`${SERP}/${id}/signing-secret`),
      other.post(`${SERP}/${id}/signing-secret/rotate`),
      other.get(`${SERP}/not-an-id`),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
  })

  test('pause and resume one, and record each with its own audit action', async () => {
    const client = await served.anotherTeam()
    const { id } = await create(client)
    expect((await client.post(`${SERP}/${id}/pause`)).body).toMatchObject({ status: 'paused', next_run_at: null })
    expect((await client.get(`${SERP}?status=paused`)).body.data).toHaveLength(1)
    expect((await client.post(`${SERP}/${id}/resume`)).body).toMatchObject({ status: 'active' })
    expect((await client.post(`${SERP}/${id}/run`)).status).toBe(200)
    await client.patch(`${SERP}/${id}`, { deliveries: [WEBHOOK] })
    await client.post(`${SERP}/${id}/signing-secret/rotate`)
    await client.delete(`${SERP}/${id}`)
    expect(await actionsOf(client)).toEqual([
      'serp_monitor.created',
      'serp_monitor.paused',
      'serp_monitor.resumed',
      'serp_monitor.run_triggered',
      'serp_monitor.updated',
      'serp_monitor.secret_rotated',
      'serp_monitor.deleted',
    ])
  })

  test('the signing secret is plain text of 64 hex digits, null without a webhook, and can be rotated', async () => {
    const { id } = await create(served.me)
    const path = `${SERP}/${id}/signing-secret`
    expect((await served.me.get(path)).body).toEqual({ secret: null })
    expect((await served.me.post(`${path}/rotate`)).status).toBe(409)
    await served.me.patch(`${SERP}/${id}`, { deliveries: [WEBHOOK] })
    const { secret } = (await served.me.get(path)).body
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect((await served.me.get(path)).body).toEqual({ secret })
    const rotated = (await served.me.post(`${path}/rotate`, { grace_hours: 1 })).body
    expect(rotated.secret).toMatch(/^[0-9a-f]{64}$/)
    expect(rotated.secret).not.toBe(secret)
    expect((await served.me.get(path)).body).toEqual(rotated)
  })

  test('runs are in pages, newest first, the queued one before them', async () => {
    const { id } = await create(served.me)
    await seedRun(served.api.services, id, { age: '2 minutes' })
    await seedRun(served.api.services, id, { age: '1 minutes' })
    const { run_id: queued } = (await served.me.post(`${SERP}/${id}/run`)).body
    const { data, pagination } = (await served.me.get(`${SERP}/${id}/runs?limit=2`)).body
    expect(data.map((run) => run['status'])).toEqual(['running', 'success'])
    expect(data[0]?.['id']).toBe(queued)
    expect(pagination).toMatchObject({ total: 3, totalPages: 2, hasMore: true })
    expect((await served.me.get(`/v1/runs/${queued}`)).body).toMatchObject({ monitor_id: id, status: 'running' })
  })

  test('roles and scopes are those of monitors', async () => {
    const { id } = await create(served.me)
    const viewer = served.as(await served.api.member(served.owner, 'viewer'))
    const member = served.as(await served.api.member(served.owner, 'member'))
    const reader = served.as(await served.api.key(served.owner, 'read'))
    for (const client of [viewer, reader]) {
      expect((await client.get(`${SERP}/${id}`)).status).toBe(200)
      expect((await client.get(SERP)).status).toBe(200)
      expect((await client.post(SERP, KETTLE)).status).toBe(403)
      expect((await client.post(`${SERP}/${id}/run`)).status).toBe(403)
      expect((await client.get(`${SERP}/${id}/signing-secret`)).status).toBe(403)
    }
    expect((await member.post(SERP, KETTLE)).status).toBe(201)
    expect((await served.as(null).get(SERP)).status).toBe(401)
  })
})

const PAGE = {
  name: 'Page',
  url: 'https://example.com/',
  schedule_interval_seconds: 60,
  extract_config: { method: 'full_page' },
  diff_predicate: { type: 'any_field_changes' },
}

describe('runs of SERP monitors', () => {
  test('run-now uses one run for each page, from the trial pool of SERP runs', async () => {
    const free = await served.anotherTeam('free')
    const { id } = await create(free, { pages: 3 })
    await free.post(`${SERP}/${id}/run`)
    const usage = (await free.get('/v1/usage')).body
    expect(usage).toMatchObject({
      serpRuns: { used: 3, limit: 100 },
      runs: { used: 0 },
      serpAllowed: true,
      serpViaCredits: false,
      limits: { serp: 'trial', serpRunsPerMonth: 100 },
    })
  })

  test('run-now with fewer runs left than pages is RUN_LIMIT_REACHED, and uses none', async () => {
    const client = await served.anotherTeam('lite')
    const { id } = await create(client, { pages: 5 })
    await served.api.sql(`update team_usage set runs_used = 997 where team_id = '${client.owner.team_id}'`)
    expect(await client.post(`${SERP}/${id}/run`)).toMatchObject({
      status: 429,
      body: {
        error: {
          code: 'RUN_LIMIT_REACHED',
          message: expect.stringContaining('needs 5 runs'),
          details: [{ used: 997, limit: 1000, resets_at: expect.stringMatching(INSTANT), credits_remaining: 0 }],
        },
      },
    })
    expect((await client.get('/v1/usage')).body['runs']).toMatchObject({ used: 997 })
    await served.api.sql(`update team_usage set credits = 2 where team_id = '${client.owner.team_id}'`)
    expect((await client.post(`${SERP}/${id}/run`)).status).toBe(200)
    expect((await client.get('/v1/usage')).body).toMatchObject({ runs: { used: 1000 }, runCredits: 0 })
  })

  test('on a plan without SERP and credits it is created and billing_paused, until credits are bought', async () => {
    const owner = await served.api.owner({ plan: 'lite', serp: false })
    const client = served.as(owner.api_key)
    const { id, status, next_run_at: next } = await create(client)
    expect({ status, next }).toEqual({ status: 'billing_paused', next: null })
    expect((await client.post(`${SERP}/${id}/resume`)).status).toBe(403)
    expect((await client.post(`${SERP}/${id}/pause`)).status).toBe(403)
    expect((await client.post(`${SERP}/${id}/run`)).status).toBe(403)
    expect((await client.get(`${SERP}?status=billing_paused`)).body.data).toHaveLength(1)
    expect((await client.get('/v1/usage')).body).toMatchObject({
      serpAllowed: false,
      serpMonitorsLocked: 1,
      monitorsLocked: 0,
    })
    await served.api.sql(`update team_usage set credits = 3 where team_id = '${owner.team_id}'`)
    expect((await client.get(`${SERP}/${id}`)).body.status).toBe('active')
    expect((await client.get('/v1/usage')).body).toMatchObject({ serpViaCredits: true, serpMonitorsLocked: 0 })
    await client.patch(`${SERP}/${id}`, { pages: 5 })
    expect((await client.post(`${SERP}/${id}/run`)).body.error).toMatchObject({
      code: 'RUN_LIMIT_REACHED',
      details: [{ resets_at: null, credits_remaining: 3 }],
    })
  })

  test('failures never make its status error', async () => {
    const { id } = await create(served.me)
    await failTimes(served.api, id, 7)
    expect((await served.me.get(`${SERP}/${id}`)).body).toMatchObject({ status: 'active', consecutive_failures: 7 })
    expect((await served.me.get(`${SERP}?status=active&monitor_id=${id}`)).body.data).toHaveLength(1)
  })
})

describe('more searches than one exit can do in time', () => {
  test('are warned of when one is created, and not refused', async () => {
    const client = await served.anotherTeam()
    const made = []
    for (let count = 0; count < 20; count++) made.push(await create(client, { engine: 'yandex' }))
    expect(made[0]).not.toHaveProperty('warnings')
    expect(made.at(-1)?.['warnings']).toEqual([expect.stringContaining('Yandex')])
    expect(await create(client, { engine: 'duckduckgo' })).not.toHaveProperty('warnings')
  })
})
