import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { row } from '../../../store/db/row.ts'
import { MONITOR } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'

let api: TestApi
let owner: CreatedOwner
let wakes = 0
beforeAll(async () => {
  api = await createTestApi({ wake: () => void (wakes += 1) })
})
beforeEach(async () => {
  owner = await api.owner()
  wakes = 0
})
afterAll(() => api.close())

const event = row({
  action: Type.String(),
  target_type: Type.String(),
  target_id: Type.String(),
  target_label: Type.String(),
  actor_type: Type.String(),
  actor_label: Type.String(),
  ip_address: Type.String(),
  metadata: Type.Unsafe<object>({}),
})
/** What this test's team has on record but for the making of its account. */
const recorded = async () => {
  const events = await api.services.store.any(sql.type(event)`
    select action, target_type, target_id, target_label, actor_type, actor_label, ip_address, metadata from audit_events
    where team_id = ${owner.team_id} and action not like 'api_key.%' order by created_at, id`)
  return events
}
const call = async (method: string, path: string, body?: unknown) => {
  const answer = await api.call(owner.api_key, method, path, body)
  return { status: answer.status, body: answer.body as never as Record<string, string> }
}
const create = async (more = {}) => (await call('POST', '/v1/monitors', { ...MONITOR, ...more })).body['id'] ?? ''

test('each change of a monitor is on record once: who, what, from where', async () => {
  const id = await create({ deliveries: [{ type: 'webhook', url: 'https://example.com/' }] })
  await call('PATCH', `/v1/monitors/${id}`, { name: 'Renamed' })
  await call('POST', `/v1/monitors/${id}/pause`)
  await call('POST', `/v1/monitors/${id}/resume`)
  const { body } = await call('POST', `/v1/monitors/${id}/run`)
  await call('POST', `/v1/monitors/${id}/signing-secret/rotate`, { grace_hours: 3 })
  await call('DELETE', `/v1/monitors/${id}`)
  const events = await recorded()
  expect(events.map(({ action, target_label, metadata }) => [action, target_label, metadata])).toEqual([
    ['monitor.created', 'Prices', {}],
    ['monitor.updated', 'Renamed', { changed: ['name'] }],
    ['monitor.paused', 'Renamed', {}],
    ['monitor.resumed', 'Renamed', {}],
    ['monitor.run_triggered', 'Renamed', { run_id: body['run_id'] }],
    ['monitor.secret_rotated', 'Renamed', { grace_hours: 3 }],
    ['monitor.deleted', 'Renamed', {}],
  ])
  const who = { actor_type: 'api_key', actor_label: 'First key', ip_address: '127.0.0.1' }
  for (const one of events) expect(one).toMatchObject({ target_type: 'monitor', target_id: id, ...who })
})

test('what changes nothing, is refused or only reads is not on record', async () => {
  const id = await create()
  await call('POST', `/v1/monitors/${id}/run`)
  const before = await recorded()
  await call('PATCH', `/v1/monitors/${id}`, {})
  await call('PATCH', `/v1/monitors/${id}`, { name: MONITOR.name, extract_config: { ...MONITOR.extract_config } })
  await call('PATCH', `/v1/monitors/${id}`, { name: '' })
  await call('POST', `/v1/monitors/${id}/resume`)
  await call('POST', `/v1/monitors/${id}/run`)
  await call('POST', `/v1/monitors/${id}/signing-secret/rotate`)
  for (const path of ['', '/runs', '/signing-secret']) await call('GET', `/v1/monitors/${id}${path}`)
  await changeMonitors(api, id, { managedBy: 'kubernetes' })
  await call('PATCH', `/v1/monitors/${id}`, { name: 'b' })
  await call('DELETE', `/v1/monitors/${id}`)
  expect(await recorded()).toEqual(before)
})

test('an edit names the keys that changed, and no value of them', async () => {
  const id = await create()
  const secret = 'hidden-token'
  await call('PATCH', `/v1/monitors/${id}`, {
    name: MONITOR.name,
    url: `https://example.com/?token=${secret}`,
    request_headers: { authorization: secret },
    deliveries: [{ type: 'slack', webhookUrl: `https://example.com/${secret}` }],
  })
  const [, updated] = await recorded()
  const changed = ['url', 'deliveries', 'request_headers']
  expect(updated?.metadata).toEqual({ changed: expect.arrayContaining(changed) })
  expect(updated?.metadata).toHaveProperty('changed.length', changed.length)
  expect(JSON.stringify(await recorded())).not.toContain(secret)
})

test('each delivery that is replayed is on record, also when its run was', async () => {
  const id = await create()
  const run = await seedRun(api.services, id)
  const dead = [
    await seedDelivery(api.services, run, { status: 'dead' }),
    await seedDelivery(api.services, run, { status: 'failed' }),
  ]
  const alone = await seedDelivery(api.services, await seedRun(api.services, id), {
    status: 'failed',
    nextInSeconds: 300,
  })
  await seedDelivery(api.services, run, { status: 'success' })
  await call('POST', `/v1/runs/${run}/replay`)
  await call('POST', `/v1/deliveries/${alone}/replay`)
  const events = (await recorded()).filter(({ action }) => action === 'delivery.replayed')
  expect(events.map(({ target_id }) => target_id).sort()).toEqual([...dead, alone].sort())
  for (const one of events) expect(one).toMatchObject({ target_type: 'delivery', target_label: 'Prices' })
})

test('the action and its line are one: where the line cannot be written, nothing was done', async () => {
  const id = await create()
  await api.sql(`alter table audit_events add constraint refuse check (team_id <> '${owner.team_id}') not valid`)
  try {
    const attempts = [
      await call('POST', '/v1/monitors', MONITOR),
      await call('PATCH', `/v1/monitors/${id}`, { name: 'b' }),
      await call('POST', `/v1/monitors/${id}/pause`),
      await call('POST', `/v1/monitors/${id}/run`),
      await call('DELETE', `/v1/monitors/${id}`),
    ]
    expect(attempts.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500])
  } finally {
    await api.sql('alter table audit_events drop constraint refuse')
  }
  expect((await call('GET', '/v1/monitors')).body['data']).toMatchObject([{ id, name: 'Prices', status: 'active' }])
  expect((await call('GET', `/v1/monitors/${id}/runs`)).body['data']).toEqual([])
})

test('the workers of this process are woken for what is due now', async () => {
  const id = await create()
  expect(wakes).toBe(1)
  await call('POST', `/v1/monitors/${id}/run`)
  expect(wakes).toBe(2)
  await call('GET', `/v1/monitors/${id}`)
  expect(wakes).toBe(2)
})

test('edits of one monitor at the same time are taken one after the other; none is lost', async () => {
  const id = await create()
  const patches = [
    { name: 'A' },
    { schedule_interval_seconds: 120 },
    { fetch_mode: 'browser' },
    { request_headers: { a: 'b' } },
  ]
  const answers = await Promise.all(patches.map((patch) => call('PATCH', `/v1/monitors/${id}`, patch)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect((await call('GET', `/v1/monitors/${id}`)).body).toMatchObject(Object.assign({}, ...patches))
})
