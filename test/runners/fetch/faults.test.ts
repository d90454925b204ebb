import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { noAnswer } from '../../../deliveries/channels/no-answer.ts'
import type { ExchangeFailure } from '../../../egress/exchange.ts'
import { blockedFault, EMPTY_BODY, exchangeFault, type RefusedLayer } from '../../../runners/fetch/fetch-faults.ts'
import { FETCH_MODES } from '../../../schema/monitor/monitor.ts'
import { RUN_FAULTS } from '../../../schema/run/run-fault.ts'
import { answer, certificate, rawServer } from '../../support/network/raw-server.ts'
import { fetcher } from './fetch-helper.ts'

const get = fetcher({ firstByteMs: 100, tlsMs: 200 })

const CHALLENGE = '<script src="/cdn-cgi/challenge-platform/x.js"></script>'

describe('a refusal', () => {
  test.each([
    ['401 Unauthorized', 'no', {}, 'blocked'],
    ['403 Forbidden', 'no', {}, 'blocked'],
    ['429 Too Many Requests', 'no', {}, 'blocked'],
    ['503 Service Unavailable', CHALLENGE, {}, 'blocked'],
    ['503 Service Unavailable', 'down', {}, 'http_status'],
    ['200 OK', 'wait', { 'cf-mitigated': 'challenge' }, 'blocked'],
    ['202 Accepted', 'wait', { 'x-amzn-waf-action': 'challenge' }, 'blocked'],
    ['404 Not Found', CHALLENGE, {}, 'http_status'],
    ['500 Broken', 'no', {}, 'http_status'],
    ['407 Proxy', 'no', {}, 'http_status'],
    ['300 Choices', 'no', {}, 'http_status'],
  ] as const)('%s (%s, %o) is %s', async (head, body, headers, code) => {
    await using server = await rawServer(answer(head, body, headers))
    const status = Number(head.slice(0, 3))
    const fetched = await get(`http://a.test:${server.port}/`)
    expect(fetched).toMatchObject({ ok: false, status, fault: { code, message: expect.stringContaining(`${status}`) } })
  })

  test.each<[RefusedLayer, RegExp, RegExp]>([
    ['static', /set fetch_mode to browser/, /the browser was refused/],
    ['direct', /check the method, the body and the request headers/, /browser/],
    ['browser', /the browser was refused too/, /fetch_mode/],
    ['proxy', /other request headers/, /fetch_mode/],
  ])('of the layer %s advises what is left to try', (by, advised, never) => {
    const { message } = blockedFault(403, 'a.test', by, false)
    expect(message).toMatch(advised)
    expect(message).not.toMatch(never)
    for (const status of [401, 403, 429, 503])
      expect(blockedFault(status, 'a.test', by, true).message).not.toMatch(by === 'static' ? never : /fetch_mode/)
  })

  test('never advises a fetch_mode that does not exist', () => {
    const files = globSync('{runners,worker,egress,monitors}/**/*.ts', { cwd: `${import.meta.dirname}/../../..` })
    expect(files.length).toBeGreaterThan(100)
    const advised = files.flatMap((file) => {
      const text = readFileSync(`${import.meta.dirname}/../../../${file}`, 'utf8').replaceAll(/[`'] \+\s+[`']/g, '')
      return [...text.matchAll(/fetch_mode to (\w+)/g)].map((found) => String(found[1]))
    })
    expect(new Set(advised)).toEqual(new Set(FETCH_MODES))
  })

  test('is seen in a challenge page that is packed', async () => {
    const { gzipSync } = await import('node:zlib')
    await using server = await rawServer(answer('403 Forbidden', gzipSync(CHALLENGE), { 'content-encoding': 'gzip' }))
    expect(await get(`http://a.test:${server.port}/`)).toMatchObject({
      fault: { message: expect.stringContaining('challenge') },
    })
  })

  test('of a million bytes is not read to its end', async () => {
    await using server = await rawServer(answer('403 Forbidden', 'x'.repeat(1_000_000)))
    expect(await get(`http://a.test:${server.port}/`)).toMatchObject({ ok: false, status: 403 })
  })

  test.each([
    ['429 Slow', '120', 120_000],
    ['503 Down', '0', 0],
    ['503 Down', '99999999', 86_400_000],
    ['429 Slow', 'soon', null],
    ['429 Slow', '-5', null],
    ['500 Down', '120', null],
    ['429 Slow', 'Sat, 21 Nov 2015 10:00:00 GMT', 0],
  ])('%s with Retry-After %j asks to wait %s ms', async (head, value, wait) => {
    await using server = await rawServer(answer(head, 'x', { 'retry-after': value }))
    expect(await get(`http://a.test:${server.port}/`)).toMatchObject({ ok: false, retryAfterMs: wait })
  })
})

describe('a broken way', () => {
  test('is named: no such host, nobody there, cut off, not HTTP, silence', async () => {
    await using silent = await rawServer(() => {})
    await using cut = await rawServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'))
    await using mail = await rawServer((socket) => socket.end('220 mail.example ESMTP\r\n'))
    const gone = await rawServer(() => {})
    await gone[Symbol.asyncDispose]()
    const messages = await Promise.all(
      ['http://gone.example/', gone, cut, mail, silent].map(async (target) => {
        const fetched = await get(typeof target === 'string' ? target : `http://a.test:${target.port}/`)
        return fetched.ok ? null : [fetched.fault.code, fetched.fault.message.replace(/:\d+/, '')]
      }),
    )
    expect(messages).toEqual([
      [
        'dns_failed',
        'There is no host named gone.example. Check the spelling of the URL, or whether the domain still exists.',
      ],
      ['connect_failed', 'a.test refused the connection. Check the port of the URL, or whether the server is down.'],
      [
        'connect_failed',
        'a.test closed the connection before the end of its answer. It is tried again at the next run.',
      ],
      [
        'connect_failed',
        "a.test answered with something that is not valid HTTP/1.1. Check that the port is a web server's.",
      ],
      [
        'timeout',
        'a.test took the request and did not begin to answer: no data came for too long. It is tried again at the ' +
          'next run.',
      ],
    ])
  })

  test.each([
    ['expired', 'secure.test', /expired/],
    ['self-signed', 'secure.test', /self-signed/],
    ['good', 'other.test', /another name/],
  ])('over TLS with a certificate that is %s for %s is named', async (name, host, message) => {
    await using server = await rawServer(answer('200 OK', 'x'), certificate(name))
    expect(await get(`https://${host}:${server.port}/`)).toMatchObject({
      ok: false,
      fault: { code: 'tls_failed', message: expect.stringMatching(message) },
    })
  })

  test('with too many headers is too large', async () => {
    await using server = await rawServer(answer('200 OK', 'x', { 'x-long': 'x'.repeat(17_000) }))
    expect(await get(`http://a.test:${server.port}/`)).toMatchObject({ ok: false, fault: { code: 'too_large' } })
  })
})

const FAILURES: readonly ExchangeFailure[] = [
  { kind: 'denied' },
  ...(['not_found', 'failed', 'timeout'] as const).map((cause) => ({ kind: 'dns', cause }) as const),
  ...(['refused', 'unreachable', 'reset', 'timeout', 'failed'] as const).map(
    (cause) => ({ kind: 'connect', cause }) as const,
  ),
  ...(
    [
      'expired',
      'not_yet_valid',
      'self_signed',
      'untrusted',
      'wrong_host',
      'old_protocol',
      'not_tls',
      'timeout',
      'failed',
    ] as const
  ).map((cause) => ({ kind: 'tls', cause }) as const),
  ...(['connect', 'first_byte', 'body'] as const).flatMap((phase) => [
    { kind: 'timeout', phase, limit: 'total' } as const,
    { kind: 'timeout', phase, limit: 'idle' } as const,
    { kind: 'closed', phase } as const,
  ]),
  ...(['headers_too_large', 'too_large', 'bad_http', 'aborted'] as const).map((kind) => ({ kind }) as const),
  { kind: 'internal', error: new Error('s3cret') },
]

describe('every message', () => {
  test('is a known code and two sentences: what happened, and what to do', () => {
    const faults = [EMPTY_BODY, ...FAILURES.map((failure) => exchangeFault(failure, { host: 'a.test' }, 1_000))]
    for (const { code, message } of faults) {
      expect(Object.keys(RUN_FAULTS)).toContain(code)
      expect(message).toMatch(/^[A-Za-z].+[.:] .+\.$/)
      expect(message).not.toMatch(/s3cret|undici|UND_ERR|ECONN|Error/)
      expect(message.length).toBeLessThan(400)
    }
  })

  test.each(['failed', 'timeout'] as const)('of a look-up that %s names the network of the machine', (cause) => {
    const { message } = exchangeFault({ kind: 'dns', cause }, { host: 'a.test' }, 1_000)
    expect(message).toContain('the network and the name servers of the machine that makes the check')
    expect(noAnswer({ kind: 'dns', cause }, 'a.test')).toContain(
      'the network and the name servers of the machine that sends',
    )
  })

  test('keeps paths, queries, headers and what the server wrote to itself', async () => {
    const heads = ['500 s3cret', '403 s3cret', '429 s3cret', '302 s3cret', '304 s3cret', '204 s3cret', '999 s3cret']
    const answers = [
      ...heads.map((head) => answer(head, 's3cret', { location: 'http://u:s3cret@a.test/s3cret', 'x-a': 's3cret' })),
      answer('200 OK', 's3cret', { 'content-encoding': 's3cret' }),
      answer('200 OK', 's3cret', { 'content-encoding': 'gzip' }),
    ]
    for (const respond of answers) {
      await using server = await rawServer(respond)
      const fetched = await get(`http://a.test:${server.port}/s3cret?key=s3cret`, {
        headers: { authorization: 's3cret' },
      })
      expect(JSON.stringify(fetched.ok ? 'ok' : fetched)).not.toMatch(/s3cret|"ok"$/)
    }
  })
})
