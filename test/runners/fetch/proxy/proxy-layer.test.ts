import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { createPolicy } from '../../../../egress/policy.ts'
import { createResolver } from '../../../../egress/resolve.ts'
import type { Fetched, FetchRequest } from '../../../../runners/fetch/fetched.ts'
import { parseProxyUrl } from '../../../../runners/fetch/proxy/proxy-address.ts'
import { createProxyLayer, type ProxyCall } from '../../../../runners/fetch/proxy/proxy-layer.ts'
import { DENIED_ADDRESSES, PRIVATE_URLS } from '../../../support/network/addresses.ts'
import { EXIT_ADDRESS, PASSWORD, startProxy, USER } from '../../../support/network/proxy-server.ts'
import { answer, certificate, fixture, rawServer, type Answer } from '../../../support/network/raw-server.ts'
import { eventually } from '../../../support/run/eventually.ts'

const REFUSAL = 'shop.test answered with status 403. It refuses the request; try other headers.'
const open: { close(): void; closeAllConnections(): void }[] = []
afterAll(() => open.forEach((server) => (server.closeAllConnections(), server.close())))

async function site(listener: RequestListener, isSecure = false): Promise<string> {
  const server = isSecure ? createTlsServer(certificate('good'), listener) : createServer(listener)
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return isSecure ? `https://secure.test:${port}` : `http://shop.test:${port}`
}

interface Given {
  readonly allow?: readonly string[]
  readonly address?: string
  readonly bytes?: number
  readonly stepMs?: number
}

/** A fetch through a proxy, with what it settled and what was logged. */
async function through(
  proxyUrl: string,
  url: string,
  given: Given & Partial<ProxyCall> & { request?: Partial<FetchRequest> } = {},
) {
  const {
    allow = ['127.0.0.0/8'],
    address = '127.0.0.1',
    bytes = 100_000_000,
    stepMs = 2_000,
    request,
    ...call
  } = given
  const parsed = parseProxyUrl(proxyUrl)
  if (!parsed.ok) throw new Error(parsed.message)
  const settled: number[] = []
  const logged: object[] = []
  const layer = createProxyLayer({
    proxy: parsed.proxy,
    policy: createPolicy({ allowPrivateCidrs: [...allow], neverAllow: [] }),
    resolver: createResolver({ lookup: () => Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]) }),
    log: { warn: (...line: unknown[]) => void logged.push(line) },
    ca: fixture('authority.pem'),
    stepMs,
  })
  const fetched = await layer.fetch(
    { url, headers: null, conditional: null, ...request },
    {
      refusal: REFUSAL,
      hold: async (most) => ({ bytes: Math.min(most, bytes), settle: async (used) => void settled.push(used) }),
      signal: new AbortController().signal,
      deadlineMs: 5_000,
      ...call,
    },
  )
  if (typeof fetched === 'string') throw new Error(`not tried: ${fetched}`)
  return { fetched, settled, logged, fault: fetched.ok ? null : fetched.fault }
}
const textOf = (fetched: Fetched): string =>
  fetched.ok && fetched.kind === 'body' ? Buffer.from(fetched.body).toString() : JSON.stringify(fetched)
const sees: RequestListener = (request, response) =>
  response.end(
    JSON.stringify({
      from: request.socket.remoteAddress,
      host: request.headers.host,
      url: request.url,
      headers: request.headers,
    }),
  )

describe('through a proxy', () => {
  test('an http page is asked for by its whole URL, and the login stays with the proxy', async () => {
    await using proxy = await startProxy()
    const origin = await site(sees)
    const { fetched } = await through(proxy.url, `${origin}/a?b=c`, { request: { headers: { 'x-mine': 'yes' } } })
    expect(proxy.asked).toEqual([`GET ${origin}/a?b=c`])
    const seen = JSON.parse(textOf(fetched)) as { from: string; host: string; url: string; headers: object }
    expect(seen).toMatchObject({
      from: EXIT_ADDRESS,
      host: new URL(origin).host,
      url: '/a?b=c',
      headers: { 'x-mine': 'yes' },
    })
    expect(JSON.stringify(seen)).not.toContain('proxy-authorization')
    expect(fetched).toMatchObject({ finalUrl: `${origin}/a?b=c` })
  })

  test('an https page is asked for by its name in a tunnel, with our own TLS inside', async () => {
    await using proxy = await startProxy()
    const origin = await site(sees, true)
    const { fetched } = await through(proxy.url, `${origin}/a`)
    expect(proxy.asked).toEqual([`CONNECT ${new URL(origin).host}`])
    expect(JSON.parse(textOf(fetched))).toMatchObject({ from: EXIT_ADDRESS, url: '/a' })
  })

  test('that speaks TLS itself, both work', async () => {
    await using proxy = await startProxy({ cert: fixture('good.pem'), key: fixture('good.test-only.key') })
    for (const origin of [await site(sees), await site(sees, true)])
      expect(JSON.parse(textOf((await through(proxy.url, `${origin}/`)).fetched))).toMatchObject({
        from: EXIT_ADDRESS,
      })
  })

  test('redirects are followed, from http to https too', async () => {
    await using proxy = await startProxy()
    const end = await site(sees, true)
    const start = await site((_, response) => response.writeHead(302, { location: `${end}/end` }).end())
    const { fetched } = await through(proxy.url, `${start}/`)
    expect(fetched).toMatchObject({ ok: true, finalUrl: `${end}/end`, redirected: true })
  })

  test('a page that has not changed is 304', async () => {
    await using proxy = await startProxy()
    const origin = await site((request, response) =>
      response.writeHead(request.headers['if-none-match'] === '"1"' ? 304 : 200).end(),
    )
    const { fetched } = await through(proxy.url, `${origin}/`, {
      request: { conditional: { etag: '"1"', lastModified: null } },
    })
    expect(fetched).toMatchObject({ ok: true, kind: 'not_modified' })
  })

  test('a certificate that is not for the target is refused, also when the proxy would not mind', async () => {
    await using proxy = await startProxy()
    const origin = await site(sees, true)
    const { fault } = await through(proxy.url, origin.replace('secure.test', 'other.test'))
    expect(fault).toMatchObject({ code: 'tls_failed' })
  })

  test.each([false, true])(
    'the bytes of the wire are counted as the proxy counts them (https: %s)',
    async (isSecure) => {
      await using proxy = await startProxy()
      const page = gzipSync(Buffer.from(Array.from({ length: 40_000 }, (_, i) => String(i * i)).join(' ')))
      const origin = await site(
        (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(page),
        isSecure,
      )
      const { settled, fetched } = await through(proxy.url, `${origin}/`)
      expect(fetched.ok).toBe(true)
      await eventually(
        () => proxy.closed(),
        (closed) => closed === 1,
      )
      expect(settled).toHaveLength(1)
      expect(settled[0]).toBeGreaterThan(page.length)
      // When a connection is closed, a last record of TLS may be under way.
      expect(Math.abs((settled[0] ?? 0) - proxy.bytes())).toBeLessThanOrEqual(isSecure ? 100 : 0)
    },
  )
})

describe('what the site answers through the proxy is reported as such', () => {
  test.each([403, 429, 404])('status %s', async (status) => {
    await using proxy = await startProxy()
    const origin = await site((_, response) => response.writeHead(status, { 'retry-after': '7' }).end('no'))
    const { fault, fetched, settled } = await through(proxy.url, `${origin}/`)
    expect(fault?.code).toBe(status === 404 ? 'http_status' : 'blocked')
    expect(fault?.message).toMatch(new RegExp(`^Through the proxy too: shop.test:\\d+ answered with status ${status}`))
    expect(fetched).toMatchObject({ retryAfterMs: status === 429 ? 7_000 : null })
    expect(settled[0]).toBeGreaterThan(100)
  })
})

describe('a proxy that does not work', () => {
  const wrong = (url: string) => url.replace(encodeURIComponent(PASSWORD), 'another-secret')
  const isSilentAbout = (message: string | undefined, proxyUrl: string) => {
    for (const secret of [
      USER,
      PASSWORD,
      encodeURIComponent(PASSWORD),
      'another-secret',
      new URL(proxyUrl).port,
      '127.0.0.1',
    ])
      expect(message).not.toContain(secret)
    expect(message).toMatch(/^shop\.test answered with status 403\. The proxy, which was tried next, /)
  }

  test.each([false, true])('refuses the login (https: %s)', async (isSecure) => {
    await using proxy = await startProxy()
    const origin = await site(sees, isSecure)
    const { fault, logged } = await through(wrong(proxy.url), `${origin}/`)
    expect(fault).toMatchObject({ code: 'proxy_failed', message: expect.stringContaining('credentials') })
    isSilentAbout(fault?.message, proxy.url)
    expect(logged).toEqual([[{ cause: 'credentials', status: 407 }, 'the proxy failed']])
  })

  test.each([false, true])('is not there (https: %s)', async (isSecure) => {
    const proxy = await startProxy()
    await proxy[Symbol.asyncDispose]()
    const { fault, settled } = await through(proxy.url, `${await site(sees, isSecure)}/`)
    expect(fault).toMatchObject({ code: 'proxy_failed', message: expect.stringContaining('could not be reached') })
    isSilentAbout(fault?.message, proxy.url)
    expect(settled).toEqual([0])
  })

  test('cannot reach the target, of which a request and a tunnel tell in their own ways', async () => {
    await using proxy = await startProxy()
    for (const url of ['http://shop.test:1/', 'https://secure.test:1/']) {
      const { fault } = await through(proxy.url, url)
      expect(fault).toMatchObject({
        code: 'proxy_failed',
        message: expect.stringMatching(/got no answer from the site|closed the connection/),
      })
      isSilentAbout(fault?.message, proxy.url)
    }
  })

  const url = (port: number, scheme = 'http') =>
    `${scheme}://${encodeURIComponent(USER)}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`
  const SILENT: Answer = () => {}
  const cases: readonly (readonly [string, Answer, string, RegExp])[] = [
    ['502 to CONNECT', answer('502 Bad Gateway'), 'https', /no answer from the site \(status 502\)/],
    ['502 to a request', answer('502 Bad Gateway'), 'http', /no answer from the site \(status 502\)/],
    ['403 to CONNECT', answer('403 Forbidden'), 'https', /refused to fetch from this site \(status 403\)/],
    ['no HTTP to CONNECT', (socket) => socket.end('SSH-2.0-x\r\n\r\n'), 'https', /not HTTP/],
    [
      'endless headers to CONNECT',
      (socket) => socket.write(`HTTP/1.1 200 ok\r\n${'x: y\r\n'.repeat(9_000)}`),
      'https',
      /not HTTP/,
    ],
    [
      '200 to CONNECT and more than that',
      (socket) => socket.write('HTTP/1.1 200 ok\r\n\r\nhello'),
      'https',
      /not HTTP/,
    ],
    ['nothing to CONNECT', SILENT, 'https', /did not answer in time/],
    ['a closed connection to CONNECT', (socket) => socket.destroy(), 'https', /closed the connection/],
  ]
  test.each(cases)('answers %s', async (_, act, scheme, expected) => {
    await using proxy = await rawServer(act)
    const { fault, settled } = await through(
      url(proxy.port),
      scheme === 'https' ? 'https://secure.test/' : 'http://shop.test/',
      { stepMs: act === SILENT ? 200 : 10_000 },
    )
    expect(fault).toMatchObject({ code: 'proxy_failed', message: expect.stringMatching(expected) })
    isSilentAbout(fault?.message, url(proxy.port))
    expect(settled).toHaveLength(1)
  })

  test('has a certificate that nobody vouches for', async () => {
    await using proxy = await rawServer(answer('200 OK'), certificate('self-signed'))
    const { fault } = await through(url(proxy.port, 'https'), 'http://shop.test/')
    expect(fault).toMatchObject({
      code: 'proxy_failed',
      message: expect.stringContaining('no TLS certificate that we trust'),
    })
    expect(proxy.requests).toEqual([])
  })

  test('a 407 that the site itself gives in a tunnel is the site’s', async () => {
    await using proxy = await startProxy()
    const origin = await site((_, response) => response.writeHead(407).end(), true)
    expect((await through(proxy.url, `${origin}/`)).fault).toMatchObject({ code: 'http_status' })
  })
})

describe('the egress guard comes before the proxy, which hears nothing of', () => {
  test.each(PRIVATE_URLS)('%s', async (target) => {
    await using proxy = await rawServer(answer('200 OK', 'no'))
    const { fault } = await through(`http://127.0.0.1:${proxy.port}`, target, { allow: [], address: '169.254.169.254' })
    expect(fault).toMatchObject({ code: 'target_not_allowed' })
    expect(proxy.contacts).toBe(0)
  })

  test('a name that resolves to any address that is no target', async () => {
    await using proxy = await rawServer(answer('200 OK', 'no'))
    for (const address of DENIED_ADDRESSES)
      for (const scheme of ['http', 'https']) {
        const { fault } = await through(`http://127.0.0.1:${proxy.port}`, `${scheme}://rebinding.example/`, {
          allow: [],
          address,
        })
        expect(fault, address).toMatchObject({ code: 'target_not_allowed' })
      }
    expect(proxy.contacts).toBe(0)
  })

  test('a redirect to one of them', async () => {
    await using proxy = await rawServer(answer('302 Found', '', { location: 'http://10.0.0.1/' }))
    const { fault } = await through(`http://127.0.0.1:${proxy.port}`, 'http://shop.test/')
    expect(fault).toMatchObject({ code: 'target_not_allowed' })
    expect(proxy.requests).toHaveLength(1)
  })

  test('a port that is refused on public addresses', async () => {
    await using proxy = await rawServer(answer('200 OK', 'no'))
    const { fault } = await through(`http://127.0.0.1:${proxy.port}`, 'http://public.example:25/', {
      address: '1.1.1.1',
    })
    expect(fault).toMatchObject({ code: 'target_not_allowed' })
    expect(proxy.contacts).toBe(0)
  })
})

describe('the bytes that were put aside', () => {
  test('are the most that an answer may weigh, and the rest is left unread', async () => {
    await using proxy = await startProxy()
    const origin = await site((_, response) => response.end(Buffer.alloc(5_000_000, 'x')))
    const { fault, settled } = await through(proxy.url, `${origin}/`, { bytes: 200_000 })
    expect(fault).toMatchObject({ code: 'too_large', message: expect.stringContaining('proxyBytesPerMonth') })
    expect(settled[0]).toBeLessThan(200_000 + 500_000)
  })

  test('are settled when the check is stopped', async () => {
    await using proxy = await startProxy()
    const stop = new AbortController()
    const origin = await site(() => stop.abort())
    const { settled, fetched } = await through(proxy.url, `${origin}/`, { signal: stop.signal })
    expect(fetched.ok).toBe(false)
    expect(settled).toHaveLength(1)
  })
})

describe('the address of a proxy', () => {
  test.each([
    ['http://proxy.example', { host: 'proxy.example', port: 80, isSecure: false, authorization: null }],
    ['https://proxy.example/', { host: 'proxy.example', port: 443, isSecure: true, authorization: null }],
    [
      'http://u:p%40s@proxy.example:8000',
      { port: 8000, authorization: `Basic ${Buffer.from('u:p@s').toString('base64')}` },
    ],
    [
      'http://u@[::1]:3128',
      { host: '[::1]', port: 3128, authorization: `Basic ${Buffer.from('u:').toString('base64')}` },
    ],
  ])('%s', (text, proxy) => {
    expect(parseProxyUrl(text)).toMatchObject({ ok: true, proxy })
  })

  test.each([
    'proxy.example:8000',
    'socks5://proxy.example',
    'http://',
    'http://s3cret:p%E0@proxy.example',
    'http://s3cret:p/s@proxy.example',
    'http://s3cret@proxy.example/path',
    '',
  ])('%s is refused, and nothing of it repeated', (text) => {
    const parsed = parseProxyUrl(text)
    expect(parsed).toMatchObject({ ok: false, message: expect.any(String) })
    expect(JSON.stringify(parsed)).not.toContain('s3cret')
  })
})
