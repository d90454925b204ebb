import { connect, type TcpNetConnectOpts } from 'node:net'
import { describe, expect, test } from 'vitest'
import { dial, type Dialled, type DialPorts } from '../../egress/guarded-agent.ts'
import { createPolicy, createRunnerPolicy, type EgressPolicy, type Endpoint } from '../../egress/policy.ts'
import { createResolver } from '../../egress/resolve.ts'
import { DENIED_ADDRESSES } from '../support/network/addresses.ts'
import { rawServer } from '../support/network/raw-server.ts'

const closed = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })
const loopback = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
const DENIED = { ok: false, failure: { kind: 'denied' } }

/** Ports whose every dial is written down and goes nowhere but to `to`, a port on loopback. */
function recorded(
  policy: EgressPolicy,
  answers: readonly string[][],
  to = 1,
): { ports: DialPorts; dials: TcpNetConnectOpts[] } {
  const dials: TcpNetConnectOpts[] = []
  let asked = 0
  const resolver = createResolver({
    cacheMs: 0,
    lookup: () => {
      const answer = answers[Math.min(asked++, answers.length - 1)] ?? []
      return Promise.resolve(answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))
    },
  })
  const open = (options: TcpNetConnectOpts) => {
    dials.push(options)
    return connect({ host: '127.0.0.1', port: to })
  }
  return { dials, ports: { policy, resolver, connectMs: 1_000, open } }
}

async function dialOnce(target: Endpoint, ports: DialPorts): Promise<Dialled> {
  const dialled = await dial(target, ports)
  if (dialled.ok) dialled.socket.destroy()
  return dialled
}

describe('dial', () => {
  test('refuses every denied address without a dial, as a literal and behind a name', async () => {
    for (const address of DENIED_ADDRESSES) {
      const { ports, dials } = recorded(closed, [[address]])
      expect(await dialOnce({ host: address, port: 80 }, ports), address).toEqual(DENIED)
      expect(await dialOnce({ host: 'name.example', port: 80 }, ports), address).toEqual(DENIED)
      expect(dials).toEqual([])
    }
  })

  test('dials no opened address on the port of the database, where the worker of a runner denies it', async () => {
    const policy = createRunnerPolicy({ allowPrivateCidrs: ['10.0.0.0/8', 'fd12::/16'], neverAllow: [] })
    const endpoints = [{ host: '10.96.0.5', port: 5433 }]
    policy.deny({ cidrs: [], endpoints, databasePorts: [5433] })
    // The Service of the database, a pod of it that no name leads to, and one behind a name.
    for (const address of ['10.96.0.5', '10.244.1.7', '::ffff:10.244.1.7', 'fd12::7']) {
      const { ports, dials } = recorded(policy, [[address]])
      expect(await dialOnce({ host: address, port: 5433 }, ports), address).toEqual(DENIED)
      expect(await dialOnce({ host: 'pod.example', port: 5433 }, ports), address).toEqual(DENIED)
      expect(dials).toEqual([])
      await dialOnce({ host: 'pod.example', port: 9200 }, ports)
      expect(dials.map(({ host, port }) => [host, port])).toEqual([[address, 9200]])
    }
  })

  test.each([
    [['1.1.1.1', '10.0.0.1']],
    [['10.0.0.1', '1.1.1.1']],
    [['2606:4700::1', '::1']],
    [['2606:4700::1', '::ffff:127.0.0.1']],
    [[...Array<string>(255).fill('1.1.1.1'), '192.168.0.1']],
  ])('refuses an answer that mixes public and private addresses', async (answer) => {
    const { ports, dials } = recorded(closed, [answer])
    expect(await dialOnce({ host: 'mixed.example', port: 80 }, ports)).toEqual(DENIED)
    expect(dials).toEqual([])
  })

  test('dials the address that was vetted, whatever the name resolves to by then', async () => {
    const { ports, dials } = recorded(closed, [['1.1.1.1'], ['127.0.0.1']])
    await dialOnce({ host: 'rebind.example', port: 80 }, ports)
    expect(dials.map(({ host }) => host)).toEqual(['1.1.1.1'])
    expect(await dialOnce({ host: 'rebind.example', port: 80 }, ports)).toEqual(DENIED)
    expect(dials).toHaveLength(1)
  })

  test('gives Happy Eyeballs the vetted addresses and no other lookup', async () => {
    const { ports, dials } = recorded(closed, [['2606:4700::1', '1.1.1.1']])
    await dialOnce({ host: 'both.example', port: 80 }, ports)
    const [options] = dials
    const given = await new Promise((resolve) =>
      options?.lookup?.('evil.example', {}, (_error, addresses) => resolve(addresses)),
    )
    expect(given).toEqual([
      { address: '2606:4700::1', family: 6 },
      { address: '1.1.1.1', family: 4 },
    ])
  })

  test('destroys a socket that ended up elsewhere before a byte is written', async () => {
    await using server = await rawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))
    const { ports } = recorded(closed, [['1.1.1.1']], server.port)
    expect(await dialOnce({ host: 'public.example', port: server.port }, ports)).toEqual(DENIED)
    expect(server.requests).toEqual([])
  })

  test('reaches loopback where it is open, by literal, by name and by localhost', async () => {
    await using server = await rawServer(() => {})
    const resolver = createResolver({ lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) })
    for (const host of ['127.0.0.1', 'here.test', 'localhost', 'x.localhost.']) {
      expect(
        (await dialOnce({ host, port: server.port }, { policy: loopback, resolver, connectMs: 1_000 })).ok,
        host,
      ).toBe(true)
    }
  })

  test('refuses an endpoint of ours that is known by name, under any name that leads to it', async () => {
    await using server = await rawServer(() => {})
    const policy = createPolicy({
      allowPrivateCidrs: ['127.0.0.0/8'],
      neverAllow: [{ host: 'db.test', port: server.port }],
    })
    const resolver = createResolver({ lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) })
    for (const host of ['db.test', 'DB.test.', 'alias.test', '127.0.0.1', '127.0.0.2', 'localhost']) {
      expect(await dialOnce({ host, port: server.port }, { policy, resolver, connectMs: 1_000 }), host).toEqual(DENIED)
    }
    expect(server.contacts).toBe(0)
  })

  test('refuses private addresses on the port of an endpoint whose name does not resolve', async () => {
    const policy = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [{ host: 'db.test', port: 80 }] })
    const resolver = createResolver({ lookup: () => Promise.reject(Object.assign(new Error(), { code: 'EAI_AGAIN' })) })
    expect(await dialOnce({ host: '127.0.0.1', port: 80 }, { policy, resolver, connectMs: 1_000 })).toEqual(DENIED)
  })

  test('does not tell a missing internal name from a private one', async () => {
    const resolver = createResolver({ lookup: () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })) })
    const ports = { policy: closed, resolver, connectMs: 1_000 }
    for (const host of ['db', 'db.internal', 'api.default.svc', 'api.default.svc.cluster.local', 'printer.local']) {
      expect(await dialOnce({ host, port: 80 }, ports), host).toEqual(DENIED)
    }
    expect(await dialOnce({ host: 'gone.example', port: 80 }, ports)).toEqual({
      ok: false,
      failure: { kind: 'dns', cause: 'not_found' },
    })
  })

  test('names a refused connection', async () => {
    const server = await rawServer(() => {})
    await server[Symbol.asyncDispose]()
    const ports = { policy: loopback, resolver: createResolver(), connectMs: 1_000 }
    expect(await dialOnce({ host: '127.0.0.1', port: server.port }, ports)).toEqual({
      ok: false,
      failure: { kind: 'connect', cause: 'refused' },
    })
  })
})
