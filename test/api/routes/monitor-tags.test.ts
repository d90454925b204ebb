import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MonitorPatch } from '../../../schema/monitor/monitor.ts'
import { SerpMonitorPatch } from '../../../schema/serp/serp-monitor.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { seedRun } from '../../support/api/seeded-runs.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { failTimes } from '../../support/database/check-states.ts'

let api: TestApi
let owner: CreatedOwner
beforeAll(async () => {
  api = await createTestApi()
  owner = await api.owner()
})
afterAll(() => api.close())

const HOOK = { type: 'webhook', url: 'https://hooks.example.com/secret-path', headers: { 'X-Token': 'a-secret' } }
const PAGE = {
  name: 'Price',
  url: 'https://example.com/',
  schedule_interval_seconds: 3600,
  extract_config: { method: 'css', fields: { price: '.price', stock: '.stock' } },
  diff_predicate: { type: 'any_field_changes' },
  request_headers: { Authorization: 'Bearer a-secret' },
  deliveries: [HOOK],
}
const SEARCH = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 86_400 }

interface Sending {
  readonly ifMatch?: string
  readonly ifNoneMatch?: string
  readonly body?: object
  readonly key?: string
}
async function send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, sending: Sending = {}) {
  const { ifMatch, ifNoneMatch, body, key = owner.api_key } = sending
  const headers = {
    authorization: `Bearer ${key}`,
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
  }
  const {
    statusCode: status,
    headers: got,
    body: text,
  } = await api.app.inject({
    method,
    url,
    headers,
    ...(body && { payload: body }),
  })
  const tag = got['etag']
  return { status, tag: typeof tag === 'string' ? tag : '', text, body: JSON.parse(text || '{}') as Answered }
}
interface Answered {
  readonly id: string
  readonly error: { readonly code: string; readonly message: string; readonly details: readonly object[] }
  readonly [key: string]: unknown
}

const KINDS = [
  ['/v1/monitors', PAGE],
  ['/v1/serp-monitors', SEARCH],
] as const

async function made(path: string, body: object) {
  const { body: monitor } = await send('POST', path, { body })
  return `${path}/${monitor.id}`
}
const tagOf = async (url: string) => (await send('GET', url)).tag

describe.each(KINDS)('the ETag of a monitor of %s', (path, body) => {
  test('is strong, the same for who reads and who writes, and that of the answer to an edit', async () => {
    const url = await made(path, body)
    const { tag } = await send('GET', url)
    expect(tag).toMatch(/^"[!#-~]+"$/)
    expect((await send('GET', url, { key: await api.key(owner, 'read') })).tag).toBe(tag)
    const edited = await send('PATCH', url, { body: { name: 'Other' }, ifMatch: tag })
    expect(edited.status).toBe(200)
    expect(edited.tag).not.toBe(tag)
    expect(await tagOf(url)).toBe(edited.tag)
  })

  test('does not change with the state: a run, a pause, a mute, the secret of its signature', async () => {
    const url = await made(path, { ...body, deliveries: [HOOK] })
    const tag = await tagOf(url)
    if (path === '/v1/monitors') await seedRun(api.services, url.split('/').at(-1) ?? '', {})
    await send('POST', `${url}/pause`)
    await send('POST', `${url}/mute`, { body: { until: '2036-12-01T08:00:00Z' } })
    await send('POST', `${url}/signing-secret/rotate`, { body: {} })
    await failTimes(api, 'all', 3)
    const { body: now } = await send('GET', url)
    expect(now).toMatchObject({ status: 'paused', mute: expect.anything() as object, consecutive_failures: 3 })
    expect(await tagOf(url)).toBe(tag)
  })

  test('is of one monitor: the same configuration of another one has no mark in common', async () => {
    const marks = async () => (await tagOf(await made(path, body))).replaceAll('"', '').split(';')
    const [one, other] = [await marks(), await marks()]
    expect(one.filter((mark) => other.includes(mark))).toEqual([])
  })

  test('If-None-Match gets the whole answer: its state is not part of the tag', async () => {
    const url = await made(path, body)
    expect((await send('GET', url, { ifNoneMatch: await tagOf(url) })).status).toBe(200)
  })
})

/** A value for each key that an edit can change, other than that of `PAGE` and of `SEARCH`. */
const OTHERS: Readonly<Record<string, unknown>> = {
  name: 'Another',
  url: 'https://example.com/other',
  keyword: 'pot',
  schedule_interval_seconds: 90_000,
  extract_config: { method: 'css', fields: { stock: '.stock  b', price: '.price' } },
  diff_predicate: { type: 'field_changes', field: 'price' },
  deliveries: [{ ...HOOK, headers: { 'X-Token': 'another secret' } }],
  fetch_mode: 'browser',
  request_headers: { Authorization: 'Bearer another' },
  request_config: { method: 'POST', body: '{}' },
  visual_config: { enabled: true },
  notify_on: ['failing'],
  quiet_hours: { from: '22:00', until: '06:00', time_zone: 'Europe/Berlin' },
  message: { title: 'Hello' },
  digest: { every_seconds: 3600 },
  isolation: 'pod',
  external_key: 'mine',
  labels: { team: 'shop' },
  mode: 'full_analysis',
  engine: 'bing',
  location_code: 'de',
  language_code: 'de',
  device: 'mobile',
  pages: 2,
  target_domain: 'shop.example.com',
  rank_change_threshold: 3,
}
/** Refused without an operator that starts pods. */
const NOT_HERE = 'isolation'
const keysOf = (patch: { readonly properties: object }) => Object.keys(patch.properties)
const CHANGES = [
  ...keysOf(MonitorPatch).map((key) => ['/v1/monitors', PAGE, key] as const),
  ...keysOf(SerpMonitorPatch).map((key) => ['/v1/serp-monitors', SEARCH, key] as const),
].filter(([, , key]) => key !== NOT_HERE)

test.each(CHANGES)('an edit of a monitor that was changed after it was read: %s %o, %s', async (path, body, key) => {
  const url = await made(path, body)
  const tag = await tagOf(url)
  const change = await send('PATCH', url, { body: { [key]: OTHERS[key] } })
  expect(change.status, change.text).toBe(200)
  const late = await send('PATCH', url, { body: { name: 'Late', [key]: OTHERS[key] }, ifMatch: tag })
  expect([late.status, late.body.error.code]).toEqual([409, 'CONFLICT'])
  const { details } = late.body.error
  expect(details).toEqual([expect.objectContaining({ path: key, replaced: true })])
  expect(late.text).not.toMatch(/secret|another/)
  const { body: stored } = await send('GET', url)
  expect(stored['name']).toBe(key === 'name' ? 'Another' : body.name)
  await send('DELETE', url)
})

describe('a change with If-Match', () => {
  test('of an older configuration says what is stored, what it would replace, and no secret', async () => {
    const url = await made('/v1/monitors', PAGE)
    const { tag } = await send('GET', url)
    const deliveries = [{ ...HOOK, url: 'https://hooks.example.com/another-secret' }]
    await send('PATCH', url, { body: { schedule_interval_seconds: 600, deliveries } })
    const { status, body, text } = await send('PATCH', url, { body: { schedule_interval_seconds: 900 }, ifMatch: tag })
    expect(status).toBe(409)
    const message = 'was changed after you read it'
    expect(body.error.details).toEqual([
      { path: 'schedule_interval_seconds', message, stored: 600, replaced: true },
      {
        path: 'deliveries',
        message,
        stored: [{ type: 'webhook', url: 'https://hooks.example.com/********', headers: { 'X-Token': '********' } }],
        replaced: false,
      },
    ])
    expect(text).not.toContain('secret')
    expect((await send('GET', url)).body).toMatchObject({ schedule_interval_seconds: 600 })
  })

  test('of a configuration that is there again is made', async () => {
    const url = await made('/v1/monitors', PAGE)
    const tag = await tagOf(url)
    await send('PATCH', url, { body: { name: 'Another', digest: { every_seconds: 3600 } } })
    await send('PATCH', url, { body: { name: PAGE.name, digest: null } })
    expect((await send('PATCH', url, { body: { name: 'Mine' }, ifMatch: tag })).status).toBe(200)
  })

  test('is made for *, a list with the tag, a tag that a proxy weakened, and without the header', async () => {
    const url = await made('/v1/monitors', PAGE)
    const edit = async (ifMatch: (tag: string) => string | undefined) => {
      const header = ifMatch(await tagOf(url))
      const body = { name: crypto.randomUUID() }
      return (await send('PATCH', url, { body, ...(header !== undefined && { ifMatch: header }) })).status
    }
    expect(await edit(() => '*')).toBe(200)
    expect(await edit((tag) => `"older", ${tag}`)).toBe(200)
    expect(await edit((tag) => `W/${tag}`)).toBe(200)
    expect(await edit(() => undefined)).toBe(200)
    expect(await edit(() => '"of-something-else"')).toBe(409)
  })

  test.each(['', 'name=x', '"open', '"a" "b"', `"${'x'.repeat(2_000)}`, '"ä"'])(
    'that is not an entity tag is 422: %o',
    async (ifMatch) => {
      const url = await made('/v1/monitors', PAGE)
      const { status, body } = await send('PATCH', url, { body: { name: 'x' }, ifMatch })
      expect([status, body.error.details]).toMatchObject([422, [{ path: 'If-Match' }]])
    },
  )

  test('deletes nothing that was changed', async () => {
    const url = await made('/v1/serp-monitors', SEARCH)
    const tag = await tagOf(url)
    const { tag: newer } = await send('PATCH', url, { body: { pages: 2 } })
    const refused = await send('DELETE', url, { ifMatch: tag })
    expect([refused.status, refused.body.error.details]).toMatchObject([409, [{ path: 'pages', stored: 2 }]])
    expect((await send('DELETE', url, { ifMatch: newer })).status).toBe(204)
  })

  test('of two that come at once, one is made', async () => {
    const url = await made('/v1/monitors', PAGE)
    const ifMatch = await tagOf(url)
    const both = await Promise.all(['One', 'Two'].map((name) => send('PATCH', url, { body: { name }, ifMatch })))
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409])
  })
})
