import { beforeAll, describe, expect, test } from 'vitest'
import { createMonitor, MONITOR, pathsOf } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { type Client, serveApi } from '../../support/api/served-api.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

const list = async (client: Client, path: string) => (await client.get(path)).body

describe('lists', () => {
  const paths = ['/v1/monitors', '/v1/deliveries', '/v1/monitors/ID/runs']
  let client: Client
  let id: string
  beforeAll(async () => {
    client = await served.anotherTeam()
    id = (await createMonitor(client)).id
    for (let i = 2; i <= 5; i++) await createMonitor(client, { name: `Number ${i}` })
    for (let i = 1; i <= 5; i++) {
      const run = await seedRun(served.api.services, id, { age: `${i} minutes` })
      await seedDelivery(served.api.services, run, { age: `${i} minutes` })
    }
  })

  test.each(paths)('%s answers data and pagination, page 1 of 20 by default', async (path) => {
    const answer = await list(client, path.replace('ID', id))
    expect(answer.data).toHaveLength(5)
    expect(answer.pagination).toEqual({ page: 1, limit: 20, total: 5, totalPages: 1, hasMore: false })
  })

  test.each(paths)('%s is in pages, newest first, each item once', async (path) => {
    const at = (page: number) => list(client, `${path.replace('ID', id)}?limit=2&page=${page}`)
    const pages = [await at(1), await at(2), await at(3), await at(4)]
    expect(pages.map(({ data }) => data.length)).toEqual([2, 2, 1, 0])
    expect(pages.map(({ pagination }) => pagination)).toMatchObject([
      { page: 1, limit: 2, total: 5, totalPages: 3, hasMore: true },
      { page: 2, total: 5, totalPages: 3, hasMore: true },
      { page: 3, total: 5, totalPages: 3, hasMore: false },
      { page: 4, total: 5, totalPages: 3, hasMore: false },
    ])
    const items = pages.flatMap(({ data }) => data)
    const times = items.map((item) => item['created_at'] ?? item['started_at'])
    expect(times).toEqual(times.map(String).sort().reverse())
    expect(new Set(items.map((item) => item['id'])).size).toBe(5)
  })

  test.each(paths)('%s takes limits 1 to 100 and pages from 1, and refuses others', async (path) => {
    const url = path.replace('ID', id)
    for (const query of ['limit=1', 'limit=100', 'page=1', 'page=1000001', 'page=1000000000000'])
      expect((await client.get(`${url}?${query}`)).status).toBe(200)
    for (const [query, at] of [
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=ten', 'limit'],
      ['limit=2.5', 'limit'],
      ['page=0', 'page'],
      ['page=-1', 'page'],
      ['page=', 'page'],
      ['offset=1', 'offset'],
      ['page=1&page=2', 'page'],
    ] as const)
      expect([query, pathsOf(await client.get(`${url}?${query}`))]).toEqual([query, [at]])
  })

  test.each([
    ['/v1/monitors', '/v1/monitors'],
    ['/v1/deliveries', '/v1/deliveries'],
    ['/v1/monitors/ID/runs', '/v1/runs'],
  ])('%s lists each item as %s/{id} has it', async (path, one) => {
    const { data } = await list(client, path.replace('ID', id))
    expect(data).toHaveLength(5)
    for (const item of data) expect((await client.get(`${one}/${item['id']}`)).body).toEqual(item)
  })

  test('a run that is queued stands first, and counts', async () => {
    const { run_id } = (await client.post(`/v1/monitors/${id}/run`)).body
    const first = await list(client, `/v1/monitors/${id}/runs?limit=2`)
    expect(first.data.map((run) => run['status'])).toEqual(['running', 'success'])
    expect(first.data[0]?.['id']).toBe(run_id)
    expect(first.pagination).toMatchObject({ total: 6, totalPages: 3 })
    expect((await list(client, `/v1/monitors/${id}/runs?limit=2&page=3`)).data).toHaveLength(2)
  })
})

describe('monitors', () => {
  test('visual=true lists only monitors with the visual layer, false only those without', async () => {
    const client = await served.anotherTeam()
    await createMonitor(client, { name: 'with', visual_config: { enabled: true } })
    await createMonitor(client, { name: 'off', visual_config: { enabled: false } })
    await createMonitor(client, { name: 'without' })
    const names = async (query: string) => (await list(client, `/v1/monitors${query}`)).data.map((one) => one['name'])
    expect(await names('?visual=true')).toEqual(['with'])
    expect(await names('?visual=false')).toEqual(['without', 'off'])
    expect(await names('')).toEqual(['without', 'off', 'with'])
    expect((await list(client, '/v1/monitors?visual=true&limit=1&page=9')).pagination).toMatchObject({ total: 1 })
    expect(pathsOf(await client.get('/v1/monitors?visual=yes'))).toEqual(['visual'])
  })

  test('POST answers 201 with the monitor, defaults filled in', async () => {
    const answer = await served.me.post('/v1/monitors', MONITOR)
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      deliveries: [],
      template_slug: null,
      fetch_mode: 'auto',
      request_headers: null,
    })
    expect((await served.me.get(`/v1/monitors/${answer.body.id}`)).body).toEqual(answer.body)
  })

  test.each(['name', 'url', 'schedule_interval_seconds', 'extract_config', 'diff_predicate'])(
    '%s is required',
    async (key) => {
      const { [key]: _left, ...rest } = MONITOR as Record<string, unknown>
      expect(pathsOf(await served.me.post('/v1/monitors', rest))).toEqual([key])
    },
  )

  test('PATCH replaces what is sent and leaves the rest, defaults included', async () => {
    const before = await createMonitor(served.me, {
      fetch_mode: 'browser',
      request_headers: { a: 'b' },
      deliveries: [{ type: 'email', to: 'a@example.com' }],
    })
    const edited = await served.me.patch(`/v1/monitors/${before.id}`, { name: 'New' })
    expect(edited).toMatchObject({ status: 200 })
    expect(edited.body).toEqual({ ...before, name: 'New' })
    expect((await served.me.get(`/v1/monitors/${before.id}`)).body).toEqual(edited.body)
  })

  test('PATCH replaces a key whole', async () => {
    const { id } = await createMonitor(served.me, {
      extract_config: { method: 'css', fields: { price: 'p', stock: 'b' } },
    })
    const extract_config = { method: 'css', fields: { stock: 'i' } }
    expect((await served.me.patch(`/v1/monitors/${id}`, { extract_config })).body).toMatchObject({ extract_config })
  })

  test('PATCH with null clears request_headers, request_config and visual_config', async () => {
    const given = { request_headers: { a: 'b' }, request_config: { method: 'POST' } }
    const { id } = await createMonitor(served.me, given)
    const none = { request_headers: null, request_config: null, visual_config: null }
    expect((await served.me.patch(`/v1/monitors/${id}`, none)).body).toMatchObject(none)
  })

  test('PATCH with {} or with nothing changes nothing', async () => {
    const before = await createMonitor(served.me, { request_headers: { a: 'b' } })
    expect((await served.me.patch(`/v1/monitors/${before.id}`, {})).body).toEqual(before)
    expect((await served.me.patch(`/v1/monitors/${before.id}`)).body).toEqual(before)
  })

  test('PATCH has the same constraints, and refuses template_slug', async () => {
    const { id } = await createMonitor(served.me)
    const refused = async (body: object) => pathsOf(await served.me.patch(`/v1/monitors/${id}`, body))
    expect(await refused({ template_slug: 'generic-full-page' })).toEqual(['template_slug'])
    expect(await refused({ name: '', schedule_interval_seconds: 59 })).toEqual(['name', 'schedule_interval_seconds'])
    expect(await refused({ url: 'http://10.0.0.1/' })).toEqual(['url'])
    expect(await refused({ name: null })).toEqual(['name'])
    expect(await refused({ status: 'paused' })).toEqual(['status'])
  })

  test('PATCH holds the merged record against the rules over several fields', async () => {
    const { id } = await createMonitor(served.me, { diff_predicate: { type: 'field_changes', field: 'price' } })
    const gone = { extract_config: { method: 'css', fields: { stock: 'i' } } }
    expect(pathsOf(await served.me.patch(`/v1/monitors/${id}`, gone))).toEqual(['diff_predicate.field'])
    const both = { ...gone, diff_predicate: { type: 'field_changes', field: 'stock' } }
    expect((await served.me.patch(`/v1/monitors/${id}`, both)).status).toBe(200)
    await served.me.patch(`/v1/monitors/${id}`, { visual_config: { enabled: true } })
    expect((await served.me.patch(`/v1/monitors/${id}`, { request_config: {} })).status).toBe(422)
  })

  test('run answers a run id and queued true; a second run while one is queued is the same one', async () => {
    const { id } = await createMonitor(served.me)
    const first = await served.me.post(`/v1/monitors/${id}/run`)
    expect(first).toMatchObject({ status: 200, body: { queued: true } })
    expect(first.body['run_id']).toMatch(/^[0-9a-f-]{36}$/)
    expect((await served.me.post(`/v1/monitors/${id}/run`, {})).body).toEqual(first.body)
  })

  test.each([
    ['an empty JSON body', { 'content-type': 'application/json' }, '{}'],
    ['an empty body, said to be JSON', { 'content-type': 'application/json' }, ''],
    ['an empty body, said to be a form', { 'content-type': 'application/x-www-form-urlencoded' }, ''],
    ['an empty body, said to be text', { 'content-type': 'text/plain;charset=UTF-8' }, ''],
    ['no body', {}, undefined],
  ])('pause, resume, run and replay take %s', async (_, headers, body) => {
    const { id } = await createMonitor(served.me)
    const delivery = await seedDelivery(served.api.services, await seedRun(served.api.services, id), { status: 'dead' })
    const statuses: number[] = []
    for (const path of [
      `/v1/monitors/${id}/pause`,
      `/v1/monitors/${id}/resume`,
      `/v1/monitors/${id}/run`,
      `/v1/deliveries/${delivery}/replay`,
    ]) {
      const authorization = `Bearer ${served.owner.api_key}`
      const init = { method: 'POST', headers: { authorization, ...headers }, ...(body !== undefined && { body }) }
      statuses.push((await fetch(served.baseUrl + path, init)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200])
  })

  test('run of a paused monitor is allowed, and leaves it paused', async () => {
    const { id } = await createMonitor(served.me)
    await served.me.post(`/v1/monitors/${id}/pause`)
    expect((await served.me.post(`/v1/monitors/${id}/run`)).status).toBe(200)
    expect((await served.me.get(`/v1/monitors/${id}`)).body).toMatchObject({ status: 'paused', next_run_at: null })
  })

  test('signing-secret is null without a webhook delivery, else 64 hex digits, the same each time', async () => {
    const { id } = await createMonitor(served.me, { deliveries: [{ type: 'email', to: 'a@example.com' }] })
    const secret = async () => (await served.me.get(`/v1/monitors/${id}/signing-secret`)).body
    const webhook = { deliveries: [{ type: 'webhook', url: 'https://example.com/' }] }
    expect(await secret()).toEqual({ secret: null })
    await served.me.patch(`/v1/monitors/${id}`, webhook)
    const first = await secret()
    expect(first).toEqual({ secret: expect.stringMatching(/^[0-9a-f]{64}$/) })
    await served.me.patch(`/v1/monitors/${id}`, { deliveries: [] })
    expect(await secret()).toEqual({ secret: null })
    await served.me.patch(`/v1/monitors/${id}`, webhook)
    expect(await secret()).toEqual(first)
  })

  test('a rotated signing secret is another one; grace_hours is 0-168', async () => {
    const { id } = await createMonitor(served.me, { deliveries: [{ type: 'webhook', url: 'https://example.com/' }] })
    const path = `/v1/monitors/${id}/signing-secret`
    const before = (await served.me.get(path)).body
    for (const body of [undefined, {}, { grace_hours: 0 }, { grace_hours: 168 }]) {
      const rotated = await served.me.post(`${path}/rotate`, body)
      expect(rotated).toMatchObject({ status: 200, body: { secret: expect.stringMatching(/^[0-9a-f]{64}$/) } })
      expect(rotated.body).not.toEqual(before)
      expect((await served.me.get(path)).body).toEqual(rotated.body)
    }
    for (const grace_hours of [-1, 169, 0.5, '1', null])
      expect(pathsOf(await served.me.post(`${path}/rotate`, { grace_hours }))).toEqual(['grace_hours'])
  })

  test('what a manifest owns is edited and deleted there: 409; pausing and running stay open', async () => {
    const { id } = await createMonitor(served.me)
    await changeMonitors(served.api, id, { managedBy: 'kubernetes' })
    const path = `/v1/monitors/${id}`
    for (const refused of [await served.me.patch(path, { name: 'b' }), await served.me.delete(path)])
      expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT'])
    expect((await served.me.post(`${path}/pause`)).status).toBe(200)
    expect((await served.me.post(`${path}/run`)).status).toBe(200)
    expect((await served.me.get(path)).body).toMatchObject({ name: MONITOR.name, status: 'paused' })
  })
})

describe('runs and deliveries', () => {
  test('the deliveries of a run are all there, not paginated', async () => {
    const { id } = await createMonitor(served.me)
    const run = await seedRun(served.api.services, id)
    expect((await served.me.get(`/v1/runs/${run}/deliveries`)).body).toEqual({ data: [] })
    const ids: string[] = []
    for (let i = 0; i < 25; i++) ids.push(await seedDelivery(served.api.services, run))
    const { body } = await served.me.get(`/v1/runs/${run}/deliveries`)
    expect(Object.keys(body)).toEqual(['data'])
    expect(body.data.map((one) => one['id'])).toEqual(ids)
  })

  test('status filters deliveries; the envelope tells the retention window', async () => {
    const client = await served.anotherTeam('starter')
    const { id } = await createMonitor(client)
    const run = await seedRun(served.api.services, id)
    for (const status of ['pending', 'success', 'failed', 'dead', 'dead'] as const)
      await seedDelivery(served.api.services, run, { status })
    const read = async (query: string) => (await client.get(`/v1/deliveries${query}`)).body
    expect(await read('?status=dead')).toMatchObject({
      data: [{ status: 'dead' }, { status: 'dead' }],
      pagination: { total: 2 },
    })
    expect(await read('?status=dead&limit=1&page=2')).toMatchObject({
      data: [{ status: 'dead' }],
      pagination: { total: 2 },
    })
    for (const query of ['', '?status=success', '?limit=1', '?page=7']) {
      const { retention } = await read(query)
      expect(retention).toEqual({ tier: 'starter', retention_days: 180, cutoff_at: expect.any(String) })
      const days = (Date.now() - Date.parse(retention.cutoff_at)) / 86_400_000
      expect(Math.abs(days - 180)).toBeLessThan(0.1)
    }
    expect(pathsOf(await client.get('/v1/deliveries?status=lost'))).toEqual(['status'])
  })

  test('only rows inside the plan’s retention window are returned, and no others can be read or replayed', async () => {
    const client = await served.anotherTeam('free')
    const { id } = await createMonitor(client)
    const old = await seedRun(served.api.services, id, { age: '15 days' })
    const fresh = await seedRun(served.api.services, id, { age: '13 days' })
    const gone = await seedDelivery(served.api.services, old, { age: '15 days', status: 'dead' })
    const there = await seedDelivery(served.api.services, fresh, { age: '13 days', status: 'dead' })
    const deliveries = await list(client, '/v1/deliveries')
    expect([deliveries.data.map((one) => one['id']), deliveries.pagination]).toMatchObject([[there], { total: 1 }])
    const runs = await list(client, `/v1/monitors/${id}/runs`)
    expect([runs.data.map((one) => one['id']), runs.pagination]).toMatchObject([[fresh], { total: 1 }])
    const onePage = await list(client, `/v1/monitors/${id}/runs?limit=1`)
    expect(onePage.pagination).toMatchObject({ total: 1, hasMore: false })
    for (const path of [`/v1/runs/${old}`, `/v1/runs/${old}/deliveries`, `/v1/deliveries/${gone}`])
      expect([path, (await client.get(path)).status]).toEqual([path, 404])
    for (const path of [`/v1/runs/${old}/replay`, `/v1/deliveries/${gone}/replay`])
      expect([path, (await client.post(path)).status]).toEqual([path, 404])
  })
})

describe('another team', () => {
  test('sees nothing of this one: every id is 404', async () => {
    const { id } = await createMonitor(served.me, { deliveries: [{ type: 'webhook', url: 'https://example.com/' }] })
    const run = await seedRun(served.api.services, id)
    const { run_id: queued } = (await served.me.post(`/v1/monitors/${id}/run`)).body
    const delivery = await seedDelivery(served.api.services, run, { status: 'dead' })
    const client = await served.anotherTeam()
    const monitor = `/v1/monitors/${id}`
    const answers = [
      client.get(monitor),
      client.patch(monitor, { name: 'mine' }),
      client.delete(monitor),
      client.post(`${monitor}/pause`),
      client.post(`${monitor}/resume`),
      client.post(`${monitor}/run`),
      client.get(`${monitor}/runs`),
      client.get(`${monitor}/signing-secret`),
      client.post(`${monitor}/signing-secret/rotate`),
      client.get(`/v1/runs/${run}`),
      client.get(`/v1/runs/${queued}`),
      client.get(`/v1/runs/${run}/deliveries`),
      client.post(`/v1/runs/${run}/replay`),
      client.get(`/v1/deliveries/${delivery}`),
      client.post(`/v1/deliveries/${delivery}/replay`),
    ]
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 404))
    expect((await list(client, '/v1/monitors')).data).toEqual([])
    expect((await list(client, '/v1/deliveries')).data).toEqual([])
    expect((await served.me.get(monitor)).body).toMatchObject({ name: MONITOR.name, status: 'active' })
  })
})

describe('usage and specification', () => {
  test('GET /api/openapi.json is the OpenAPI 3.1 document, and has every path of these nouns', async () => {
    const { status, body } = await served.as(null).get('/api/openapi.json')
    expect([status, body['openapi']]).toEqual([200, expect.stringMatching(/^3\.1\./)])
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining([
        '/v1/monitors',
        '/v1/monitors/{id}',
        '/v1/monitors/{id}/pause',
        '/v1/monitors/{id}/resume',
        '/v1/monitors/{id}/run',
        '/v1/monitors/{id}/runs',
        '/v1/monitors/{id}/signing-secret',
        '/v1/runs/{id}',
        '/v1/runs/{id}/deliveries',
        '/v1/runs/{id}/replay',
        '/v1/deliveries',
        '/v1/deliveries/{id}',
        '/v1/deliveries/{id}/replay',
        '/v1/keys',
      ]),
    )
  })
})
