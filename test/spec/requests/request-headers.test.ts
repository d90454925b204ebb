import { describe, expect, test } from 'vitest'
import { joinPath } from '../../../schema/validation/issue.ts'
import { createMonitor, faultsOf, MONITOR, pathsOf } from '../../support/api/monitor-requests.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

type Headers = Record<string, unknown>
const parts = [
  ['request_headers', (headers: Headers) => ({ request_headers: headers }), 'request_headers'],
  [
    'headers of a webhook',
    (headers: Headers) => ({ deliveries: [{ type: 'webhook', url: 'https://example.com/', headers }] }),
    'deliveries[0].headers',
  ],
] as const
const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, 'v']))

describe.each(parts)('request headers: %s', (_, body, path) => {
  test.each<[string, Headers]>([
    ['none', {}],
    ['20 headers', named(20)],
    ['a name of 1 character', { a: 'v' }],
    ['a name of 256 characters', { ['n'.repeat(256)]: 'v' }],
    ['a name of every token character', { "!#$%&'*+-.^_`|~09azAZ": 'v' }],
    ['an empty value', { a: '' }],
    ['a value of 2,048 characters', { a: 'v'.repeat(2048) }],
    ['printable ASCII and tab in a value', { a: ' \t~!"' }],
  ])('takes %s', async (_title, headers) => {
    expect(await createMonitor(served.me, body(headers))).toMatchObject(body(headers))
  })

  test.each<[string, Headers, string]>([
    ['21 headers', named(21), ''],
    ['an empty name', { '': 'v' }, '[""]'],
    ['a name of 257 characters', { ['n'.repeat(257)]: 'v' }, `.${'n'.repeat(257)}`],
    ['a space in a name', { 'x a': 'v' }, '["x a"]'],
    ['a colon in a name', { 'x:a': 'v' }, '["x:a"]'],
    ['a letter outside ASCII in a name', { ü: 'v' }, '["ü"]'],
    ['a value of 2,049 characters', { a: 'v'.repeat(2049) }, '.a'],
    ['CR in a value', { a: 'v\r' }, '.a'],
    ['LF in a value', { a: 'v\nw' }, '.a'],
    ['another control character in a value', { a: 'v\u0001' }, '.a'],
    ['CR and LF in a name', { 'a\r\nb': 'v' }, '["a\\r\\nb"]'],
    ['CR and LF in a value', { a: 'v\r\nx: y' }, '.a'],
    ['a character outside ASCII in a value', { a: 'é' }, '.a'],
    ['DEL in a value', { a: '\u007f' }, '.a'],
    ['a value that is no string', { a: 1 }, '.a'],
    ['the reserved name host', { Host: 'v' }, '.Host'],
    ['the reserved name content-length', { 'content-length': '1' }, '["content-length"]'],
    ['the reserved name connection', { CONNECTION: 'close' }, '.CONNECTION'],
    ['the reserved name transfer-encoding', { 'Transfer-Encoding': 'chunked' }, '["Transfer-Encoding"]'],
    ['the reserved name cookie', { Cookie: 'a=b' }, '.Cookie'],
  ])('refuses %s', async (_title, headers, at) => {
    expect(await faultsOf(served.me, body(headers))).toEqual([path + at])
  })

  test('refuses names that differ only in case, and names them all', async () => {
    const paths = await faultsOf(served.me, body({ 'x-a': '1', accept: 'a', 'X-A': '2' }))
    expect(paths).toEqual([`${path}["X-A"]`, `${path}["x-a"]`])
  })
})

describe('headers that are never sent', () => {
  const NEVER = [
    'Keep-Alive',
    'Upgrade',
    'EXPECT',
    'te',
    'Trailer',
    'Proxy-Connection',
    'Proxy-Authorization',
    'Proxy-Authenticate',
  ]
  const webhook = (headers?: Headers) => ({ type: 'webhook', url: 'https://example.com/', ...(headers && { headers }) })
  const search = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 3600 }
  /** Stores a webhook as an older version did, which took every header but the reserved ones. */
  async function withStoredHeader(path: string) {
    const { secrets } = served.api.services
    const { id } = (await served.me.post(path, path === '/v1/monitors' ? MONITOR : search)).body
    const place = { teamId: served.owner.team_id, column: 'monitors.deliveries', rowId: id } as const
    const sealed = secrets.seal(place, [webhook({ Expect: 'v', 'x-a': 'v' })])
    await changeMonitors(served.api, id, { deliveries: sealed })
    return `${path}/${id}`
  }

  test.each(NEVER)('%s is refused where a webhook with it is saved, and with it every other one', async (name) => {
    const deliveries = [webhook(), webhook({ 'x-a': 'v', [name]: 'v', Cookie: 'a=b' })]
    const paths = [joinPath('deliveries', 1, 'headers', name), 'deliveries[1].headers.Cookie'].toSorted()
    expect(await faultsOf(served.me, { deliveries })).toEqual(paths)
    expect(pathsOf(await served.me.post('/v1/serp-monitors', { ...search, deliveries }))).toEqual(paths)
    const { id } = await createMonitor(served.me)
    expect(pathsOf(await served.me.patch(`/v1/monitors/${id}`, { deliveries }))).toEqual(paths)
  })

  test.each(NEVER)('%s is taken for requests of pages, with a warning on the record', async (name) => {
    const warnings = [
      `Headers that belong to a connection cannot be sent: "${name}". Remove them from request_headers.`,
    ]
    const { id } = await createMonitor(served.me, { request_headers: { [name]: 'v', 'x-a': 'v' } })
    expect((await served.me.get(`/v1/monitors/${id}`)).body).toMatchObject({ warnings })
  })

  test.each(['/v1/monitors', '/v1/serp-monitors'])(
    'a webhook in %s that was stored with one stays valid, with a warning on the record, until it is saved',
    async (path) => {
      const url = await withStoredHeader(path)
      const warnings = [
        'Headers that belong to a connection cannot be sent: "Expect". Remove them from the headers of webhooks.',
      ]
      expect((await served.me.get(url)).body).toMatchObject({ warnings })
      const renamed = await served.me.patch(url, { name: 'Renamed' })
      expect(renamed.body).toMatchObject({ name: 'Renamed', warnings })
      const { deliveries } = renamed.body as never as { readonly deliveries: readonly object[] }
      expect(deliveries).toEqual([webhook({ Expect: 'v', 'x-a': 'v' })])
      expect(pathsOf(await served.me.patch(url, { deliveries }))).toEqual(['deliveries[0].headers.Expect'])
      const mended = await served.me.patch(url, { deliveries: [webhook({ 'x-a': 'v' })] })
      expect(mended.status).toBe(200)
      expect(mended.body).not.toHaveProperty('warnings')
    },
  )
})

describe('request headers', () => {
  test.each(['Service-Signature', 'Content-Type', 'User-Agent'])(
    "a webhook's %s cannot be overridden: it is accepted, and the service's own is sent",
    async (name) => {
      const deliveries = [{ type: 'webhook', url: 'https://example.com/', headers: { [name]: 'mine' } }]
      await createMonitor(served.me, { deliveries })
    },
  )
})
