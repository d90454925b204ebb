import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WORK_LEVEL } from '../../../schema/level.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { type MonitorChanges, changeMonitors } from '../../support/database/change-monitors.ts'
import { setLevel } from '../../support/database/check-states.ts'

const MONITOR = {
  name: 'Kettle',
  url: 'https://example.com/',
  schedule_interval_seconds: 3600,
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'any_field_changes' },
}

let api: TestApi
let key: string
let teamId: string
beforeAll(async () => {
  api = await createTestApi()
  const owner = await api.owner()
  key = owner.api_key
  teamId = owner.team_id
})
afterAll(() => api.close())

/** Makes a monitor, and writes to its row as a later version would. Returns its path. */
async function written(changes: MonitorChanges): Promise<string> {
  const { status, body } = await api.call(key, 'POST', '/v1/monitors', MONITOR)
  expect(status).toBe(201)
  await changeMonitors(api, String(body['id']), changes)
  return `/v1/monitors/${body['id']}`
}
const NESTED = { extractConfig: { method: 'css', fields: { price: '.price' }, treatment: { trim: true } } }
const OF_ITSELF = { more: { sign_in: { page: '/in' } } }
const get = async (path: string) => (await api.call(key, 'GET', path)).body
const patch = (path: string, body: object) => api.call(key, 'PATCH', path, body)

describe('Keys of a later version', () => {
  test('are shown, and kept by an edit of another object', async () => {
    const path = await written({ ...NESTED, ...OF_ITSELF })
    const config = { ...MONITOR.extract_config, treatment: { trim: true } }
    expect(await get(path)).toMatchObject({ extract_config: config, sign_in: { page: '/in' } })
    const list = await get('/v1/monitors?limit=1')
    expect(list).toMatchObject({ data: [{ extract_config: config, sign_in: { page: '/in' } }] })

    const nested = await written(NESTED)
    expect(await patch(nested, { name: 'Pot', schedule_interval_seconds: 60 })).toMatchObject({
      status: 200,
      body: { name: 'Pot', extract_config: config },
    })
    expect(await get(nested)).toMatchObject({ name: 'Pot', schedule_interval_seconds: 60, extract_config: config })
  })

  test('refuse a PATCH of the object that holds them, with what to upgrade', async () => {
    const path = await written(NESTED)
    const before = await get(path)
    const answer = await patch(path, { extract_config: MONITOR.extract_config, name: 'Pot' })
    expect(answer).toMatchObject({
      status: 409,
      body: { error: { code: 'CONFLICT', details: [{ path: 'extract_config.treatment' }] } },
    })
    expect(JSON.stringify(answer.body)).toMatch(/later version .* extract_config\.treatment .* Upgrade the API/)
    expect(await get(path)).toEqual(before)
  })

  test('of the monitor itself refuse every PATCH that says something', async () => {
    const path = await written(OF_ITSELF)
    expect(await patch(path, { name: 'Pot' })).toMatchObject({
      status: 409,
      body: { error: { details: [{ path: 'sign_in' }] } },
    })
    expect(await patch(path, {})).toMatchObject({ status: 200, body: { sign_in: { page: '/in' } } })
  })

  test('that are not seen refuse it by the level of the checks', async () => {
    const path = await written({ name: 'Kettle' })
    await setLevel(api, path.split('/')[3] ?? '', WORK_LEVEL + 1)
    expect(await patch(path, { name: 'Pot' })).toMatchObject({ status: 409, body: { error: { details: [] } } })
    expect(await api.call(key, 'POST', `${path}/pause`)).toMatchObject({ status: 200 })
    expect(await api.call(key, 'DELETE', path)).toMatchObject({ status: 204 })
  })

  test('in destinations refuse new destinations alone', async () => {
    const deliveries = [{ type: 'webhook', url: 'https://example.com/hook', raw: true }]
    const { id } = (await api.call(key, 'POST', '/v1/monitors', MONITOR)).body
    const place = { teamId, column: 'monitors.deliveries', rowId: String(id) } as const
    const sealed = api.services.secrets.seal(place, deliveries)
    await changeMonitors(api, String(id), { deliveries: sealed })
    const path = `/v1/monitors/${id}`
    expect(await patch(path, { name: 'Pot' })).toMatchObject({ status: 200, body: { deliveries } })
    expect(await patch(path, { deliveries: [] })).toMatchObject({
      status: 409,
      body: { error: { details: [{ path: 'deliveries[0].raw' }] } },
    })
    expect(await get(path)).toMatchObject({ deliveries })
  })
})
