import { createHash } from 'node:crypto'
import { createServer as createPlainServer, type IncomingMessage, type Server as PlainServer } from 'node:http'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startEgressProxy } from '../../../egress/egress-proxy.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { type ClientCertificate, createTrust } from '../../../egress/trust.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import type { Rendered } from '../../../runners/browser/page/rendered.ts'
import { fetchStatic } from '../../../runners/fetch/static-fetch.ts'
import { htmlOf, renderOne, testBrowsers } from '../../support/browser/test-browsers.ts'
import { certificate, fixture } from '../../support/network/raw-server.ts'

vi.setConfig({ testTimeout: 90_000 })

const TEAM = '00000000-0000-4000-8000-000000000001'
const OTHER = '00000000-0000-4000-8000-000000000002'
const authorities = [fixture('authority.pem')]
const shown: ClientCertificate = {
  hosts: ['127.0.0.1'],
  teams: [TEAM],
  cert: fixture('good.pem'),
  key: fixture('good.test-only.key'),
}
const policyOf = (options: Parameters<typeof createTrust>[0]) =>
  createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], neverAllow: [], trust: createTrust(options) })
const messageOf = (rendered: Rendered) => (rendered.ok ? '' : rendered.fault.message)

const servers: (Server | PlainServer)[] = []
const sockets: Duplex[] = []
const policy = policyOf({ authorities, clientCertificates: [shown] })
let trusting: Browsers
let plain: Browsers
beforeAll(() => {
  trusting = testBrowsers({ egress: policy })
  plain = testBrowsers()
})
afterAll(async () => {
  await Promise.all([trusting.close(), plain.close()])
  for (const socket of sockets) socket.destroy()
  for (const server of servers) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** Serves the name in the certificate of the client, from a server with one of the certificates. */
async function serve(name: 'good' | 'expired' | 'self-signed', options: object = {}): Promise<number> {
  const server = createServer(
    { ...certificate(name), requestCert: true, rejectUnauthorized: false, ca: authorities, ...options },
    (request, response) => {
      const client = (request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'none'
      response.setHeader('content-type', 'text/html').end(`<p>client: ${String(client)}</p>`)
    },
  )
  servers.push(server)
  greetSockets(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

test('a page of a private authority is rendered where the authority is trusted, and not elsewhere', async () => {
  const port = await serve('good')
  expect(htmlOf(await renderOne(trusting, `https://127.0.0.1:${port}/`))).toContain('client: none')
  expect(messageOf(await renderOne(plain, `https://127.0.0.1:${port}/`))).toContain('is not signed by an authority')
})

test('a client certificate is shown for the pages of its team, and for no other', async () => {
  const port = await serve('good', { rejectUnauthorized: true })
  const url = `https://127.0.0.1:${port}/`
  expect(htmlOf(await renderOne(trusting, { url, team: TEAM }))).toContain('client: good')
  for (const team of [OTHER, undefined]) {
    const rendered = await renderOne(trusting, { url, ...(team !== undefined && { team }) })
    expect(rendered.ok).toBe(false)
  }
  // Both at the same time, in one browser.
  const both = await Promise.all([TEAM, OTHER].map((team) => renderOne(trusting, { url, team })))
  expect(both.map(({ ok }) => ok)).toEqual([true, false])
})

test.each([
  ['an expired certificate', 'expired', '127.0.0.1'],
  ['a certificate that signed itself', 'self-signed', '127.0.0.1'],
  ['a certificate for another name', 'good', 'localhost'],
] as const)('a page with %s fails in the words of a plain request', async (_what, name, host) => {
  const url = `https://${host}:${await serve(name)}/`
  const agent = createGuardedAgent(policy)
  const plainly = await fetchStatic({ url, headers: null, conditional: null }, { agent, signal: null })
  await agent.destroy()
  const rendered = await renderOne(trusting, url)
  expect(rendered.ok ? 'rendered' : rendered.fault.code).toBe('tls_failed')
  expect(messageOf(rendered)).toBe(plainly.ok ? '' : plainly.fault.message)
})

test('WebSockets of a page pass, with TLS and without', async () => {
  const secure = await serve('good')
  const open = createPlainServer()
  servers.push(open)
  greetSockets(open)
  await new Promise<void>((resolve) => open.listen(0, '127.0.0.1', resolve))
  const { port } = open.address() as AddressInfo
  const script = ['wss', 'ws'].map(
    (scheme) =>
      `new WebSocket('${scheme}://127.0.0.1:${scheme === 'ws' ? port : secure}/').onmessage = ({ data }) => {
        const b = document.createElement('b'); b.className = data + '${scheme}'; document.body.append(b) }`,
  )
  open.on('request', (_request, response) => {
    response.setHeader('content-type', 'text/html').end(`<!doctype html><body><script>${script.join(';')}</script>`)
  })
  const url = `http://127.0.0.1:${port}/`
  for (const waitFor of ['b.hellowss', 'b.hellows'])
    expect(htmlOf(await renderOne(trusting, { url, waitFor }))).toContain(waitFor.slice(2))
})

test('a page does not reach the egress proxy of another team, even where loopback is open', async () => {
  const proxy = await startEgressProxy(policy)
  const other = URL.parse(await proxy.serverFor(TEAM))
  const asked = await new Promise<string>((resolve) => {
    const socket = connect(Number(URL.parse(proxy.server)?.port), '127.0.0.1')
    sockets.push(socket)
    socket.once('data', (chunk) => resolve(chunk.toString()))
    socket.write(`CONNECT 127.0.0.1:${other?.port} HTTP/1.1\r\nhost: x\r\n\r\n`)
  })
  expect(asked).toMatch(/^HTTP\/1\.1 502 /)
  expect(proxy.counts.denied).toBe(1)
  await proxy.close()
})

/** Accepts each WebSocket and sends one word. */
function greetSockets(server: Server | PlainServer): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    sockets.push(socket)
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash('sha1').update(key).digest('base64')
    const head = ['HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: upgrade']
    socket.on('error', () => {})
    socket.write([...head, `sec-websocket-accept: ${accept}`, '', ''].join('\r\n'))
    socket.write(Buffer.concat([Buffer.of(0x81, 5), Buffer.from('hello')]))
  })
}
