import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../../core/logger.ts'
import { createWebhookChannel } from '../../deliveries/channels/webhook.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import { guardedRequest } from '../../egress/guarded-request.ts'
import { createPolicy } from '../../egress/policy.ts'
import { createResolver } from '../../egress/resolve.ts'
import { type ClientCertificate, createTrust, teamKey } from '../../egress/trust.ts'
import { fetchStatic } from '../../runners/fetch/static-fetch.ts'
import { certificate, fixture } from '../support/network/raw-server.ts'

const TEAM = '00000000-0000-4000-8000-000000000001'
const OTHER = '00000000-0000-4000-8000-000000000002'
const authorities = [fixture('authority.pem')]
const shown: ClientCertificate = {
  hosts: ['secure.test'],
  teams: [TEAM],
  cert: fixture('good.pem'),
  key: fixture('good.test-only.key'),
}
const resolver = createResolver({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
const policyOf = (options: Parameters<typeof createTrust>[0]) =>
  createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [], trust: createTrust(options) })

/** Responds with the name in the certificate of the client, or with `none`. */
const server = createServer(
  { ...certificate('good'), requestCert: true, rejectUnauthorized: false, ca: authorities },
  (request, response) => {
    const name = (request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'none'
    const to = /^\/to\/(.+)$/.exec(request.url ?? '')?.[1]
    if (to !== undefined) response.writeHead(302, { location: `https://${decodeURIComponent(to)}/` })
    response.end(String(name))
  },
)
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function client(options: Parameters<typeof createTrust>[0]) {
  const agent = createGuardedAgent(policyOf(options), { resolver })
  const get = async (host: string, team?: string): Promise<string> => {
    const exchange = await guardedRequest(agent, {
      url: new URL(`https://${host}:${port}/`),
      method: 'GET',
      headers: [],
      body: null,
      team,
      deadlineMs: 5_000,
      signal: null,
      bodyRule: () => ({ maxBytes: 1_000, partial: false }),
    })
    if (exchange.ok) return Buffer.concat(exchange.chunks).toString()
    return exchange.failure.kind === 'tls' ? exchange.failure.cause : exchange.failure.kind
  }
  return { agent, get }
}

describe('a private authority', () => {
  test('is trusted where it is named, and not otherwise', async () => {
    const trusting = client({ authorities })
    const plain = client({})
    expect(await trusting.get('secure.test')).toBe('none')
    expect(await trusting.get('other.test')).toBe('wrong_host')
    expect(await plain.get('secure.test')).toBe('untrusted')
    await Promise.all([trusting.agent.destroy(), plain.agent.destroy()])
  })
})

describe('a client certificate', () => {
  test('is shown to its hosts, for its teams, and to nobody else, also over kept connections', async () => {
    const { agent, get } = client({ authorities, clientCertificates: [shown] })
    for (let round = 0; round < 3; round++) {
      expect(await get('secure.test', TEAM)).toBe('good')
      expect(await get('secure.test', OTHER)).toBe('none')
      expect(await get('secure.test')).toBe('none')
      expect(await get('127.0.0.1', TEAM)).toBe('none')
      // As a runner knows the team.
      expect(await get('secure.test', teamKey(TEAM))).toBe('good')
    }
    await agent.destroy()
  })

  test('does not go along with a redirect to another host, and is not shown for another team after one', async () => {
    const { agent } = client({ authorities, clientCertificates: [shown] })
    const read = async (path: string, team: string) => {
      const request = { url: `https://secure.test:${port}${path}`, headers: null, conditional: null }
      const fetched = await fetchStatic(request, { agent, team, signal: null })
      return fetched.ok && fetched.kind === 'body' ? Buffer.from(fetched.body).toString() : 'failed'
    }
    expect(await read('/', TEAM)).toBe('good')
    expect(await read(`/to/127.0.0.1:${port}`, TEAM)).toBe('none')
    expect(await read(`/to/secure.test:${port}`, OTHER)).toBe('none')
    await agent.destroy()
  })

  test('is shown to the webhooks of its team', async () => {
    const { agent } = client({ authorities, clientCertificates: [shown] })
    const channel = createWebhookChannel({ agent })
    const send = (team: string) =>
      channel.send(
        {
          id: 'd',
          team,
          config: { type: 'webhook', url: `https://secure.test:${port}/` },
          payload: '{}',
          secrets: ['a'.repeat(64)],
        },
        { signal: new AbortController().signal, log: createLogger('silent') },
      )
    expect(await send(TEAM)).toMatchObject({ kind: 'answered', body: 'good' })
    expect(await send(OTHER)).toMatchObject({ kind: 'answered', body: 'none' })
    await agent.destroy()
  })
})
