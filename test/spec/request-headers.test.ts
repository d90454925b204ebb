import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServedApi, serveApi } from '../support/api/served-api.ts'
import { createMonitor, faultsOf } from '../support/api/monitor-requests.ts'

let served: ServedApi
beforeAll(async () => {
  served = await serveApi()
})
afterAll(() => served.close())

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

describe('request headers', () => {
  test.each(['Service-Signature', 'Content-Type', 'User-Agent'])(
    "a webhook's %s cannot be overridden: it is accepted, and the service's own is sent",
    async (name) => {
      const deliveries = [{ type: 'webhook', url: 'https://example.com/', headers: { [name]: 'mine' } }]
      await createMonitor(served.me, { deliveries })
    },
  )
})
