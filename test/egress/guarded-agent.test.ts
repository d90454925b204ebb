import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Exchange } from '../../egress/exchange.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import type { AgentOptions } from '../../egress/guarded-agent.ts'
import { guardedRequest } from '../../egress/guarded-request.ts'
import { createPolicy } from '../../egress/policy.ts'
import { createResolver } from '../../egress/resolve.ts'
import { answer, certificate, fixture, rawServer } from '../support/network/raw-server.ts'

const loopback = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
const resolver = createResolver({ lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) })
const trusting: AgentOptions = { resolver, ca: fixture('authority.pem'), tlsMs: 300 }

async function get(url: string, options: AgentOptions = trusting): Promise<Exchange> {
  const agent = createGuardedAgent(loopback, options)
  try {
    return await guardedRequest(agent, {
      url: new URL(url),
      method: 'GET',
      headers: [],
      body: null,
      deadlineMs: 2_000,
      signal: null,
      bodyRule: () => ({ maxBytes: 1_000, partial: false }),
    })
  } finally {
    await agent.destroy()
  }
}

function tlsFault(cause: string): unknown {
  return { ok: false, status: null, failure: { kind: 'tls', cause } }
}

describe('a guarded agent', () => {
  test('asks for the name that the URL has, over a socket to the pinned address', async () => {
    await using server = await rawServer(answer('200 OK', 'hello'))
    expect(await get(`http://name.test:${server.port}/a?b=c`)).toMatchObject({ ok: true, status: 200, wireBytes: 5 })
    expect(server.requests[0]).toMatch(new RegExp(`^GET /a\\?b=c HTTP/1.1\r\nhost: name.test:${server.port}\r\n`, 'i'))
  })

  test('speaks TLS to the name, and to a literal address without one', async () => {
    const names: (string | boolean | null)[] = []
    const tls = certificate('good')
    await using server = await rawServer((socket, ...rest) => {
      names.push('servername' in socket ? (socket.servername as string | false) : null)
      answer('200 OK', 'x')(socket, ...rest)
    }, tls)
    expect(await get(`https://secure.test:${server.port}/`)).toMatchObject({ ok: true })
    expect(await get(`https://127.0.0.1:${server.port}/`)).toMatchObject({ ok: true })
    expect(names).toEqual(['secure.test', false])
  })

  test.each([
    ['expired', 'secure.test', 'expired'],
    ['self-signed', 'secure.test', 'self_signed'],
    ['good', 'other.test', 'wrong_host'],
  ])('refuses a certificate that is %s for %s', async (name, host, cause) => {
    await using server = await rawServer(answer('200 OK', 'x'), certificate(name))
    expect(await get(`https://${host}:${server.port}/`)).toEqual(tlsFault(cause))
    expect(server.requests).toEqual([])
  })

  test('refuses a certificate of an authority that is not trusted', async () => {
    await using server = await rawServer(answer('200 OK', 'x'), certificate('good'))
    expect(await get(`https://secure.test:${server.port}/`, { resolver })).toEqual(tlsFault('untrusted'))
  })

  test('refuses TLS 1.1', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    await using server = await rawServer(answer('200 OK', 'x'), { ...certificate('good'), ...old })
    expect(await get(`https://secure.test:${server.port}/`)).toEqual(tlsFault('old_protocol'))
  })

  test('gives up on a port that takes the connection and says nothing', async () => {
    await using server = await rawServer(() => {})
    expect(await get(`https://secure.test:${server.port}/`)).toEqual(tlsFault('timeout'))
  })

  test('tells a port that speaks plain HTTP', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    expect(await get(`https://secure.test:${(server.address() as AddressInfo).port}/`)).toEqual(tlsFault('not_tls'))
    server.close()
  })

  test('fails every queued request when the target is denied, and contacts nobody', async () => {
    await using server = await rawServer(answer('200 OK', 'x'))
    const closed = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })
    const agent = createGuardedAgent(closed, { resolver, connections: 2 })
    const ask = () =>
      guardedRequest(agent, {
        url: new URL(`http://private.test:${server.port}/`),
        method: 'GET',
        headers: [],
        body: null,
        deadlineMs: 2_000,
        signal: null,
        bodyRule: () => ({ maxBytes: 1, partial: false }),
      })
    const answers = await Promise.all(Array.from({ length: 20 }, ask))
    await agent.close()
    expect(answers).toEqual(Array(20).fill({ ok: false, status: null, failure: { kind: 'denied' } }))
    expect(server.contacts).toBe(0)
  })

  test('gives each team its turn at name lookups, although teams share it', async () => {
    await using server = await rawServer(answer('200 OK', 'hello'))
    const shared = createResolver({
      lookup: (name) =>
        name.startsWith('hang') ? new Promise(() => {}) : Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
      timeoutMs: 2_500,
      pending: { total: 100, perTeam: 8 },
    })
    const agent = createGuardedAgent(loopback, { resolver: shared })
    const ask = (name: string, team: string) =>
      guardedRequest(agent, {
        url: new URL(`http://${name}.test:${server.port}/`),
        method: 'GET',
        headers: [],
        body: null,
        team,
        deadlineMs: 30_000,
        signal: null,
        bodyRule: () => ({ maxBytes: 1_000, partial: false }),
      })
    const hanging = Array.from({ length: 80 }, (_, n) => ask(`hang${n}`, 'one'))
    const from = performance.now()
    expect(await ask('good', 'other')).toMatchObject({ ok: true })
    // Before any of the others is given up.
    expect(performance.now() - from).toBeLessThan(2_000)
    for (const exchange of await Promise.all(hanging))
      expect(exchange).toMatchObject({ ok: false, failure: { kind: 'dns', cause: 'timeout' } })
    await agent.destroy()
  })
})
