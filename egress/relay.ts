import { request as httpRequest } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { type SecureContext, TLSSocket } from 'node:tls'
import type { EgressFailure } from './egress-failure.ts'
import type { Endpoint } from './policy.ts'
import { secure } from './secure.ts'
import { portOf } from './target-url.ts'

/** An open connection for one request or one tunnel. */
export interface Connection {
  readonly socket: Socket
  /** Called when bytes have passed, for what counts them. */
  passed?(): void
  /** The other end is a proxy that takes a request with an absolute URL. Absent: it is the target. */
  readonly proxy?: ForwardingProxy
}

/** A proxy at the other end of a connection. */
interface ForwardingProxy {
  readonly headers: Readonly<Record<string, string>>
  /** Returns whether a response with this status is the proxy's own and not the site's. It is not passed on. */
  isOwn(status: number): boolean
}

/** How the proxy itself speaks TLS with a target, and with the browser in its place. */
export interface Terminating {
  /** For the connection to the target. */
  readonly outer: SecureContext
  /** For the connection of the browser. */
  readonly inner: SecureContext
  /** Called when the handshake with the target failed. */
  failed(failure: EgressFailure): void
}

/** Opens the outgoing connections of a proxy. */
export interface Dialler {
  /** Returns a vetted connection, or null. `isTunnel`: nothing of its content is read here. Never rejects. */
  connectTo(target: Endpoint, isTunnel: boolean): Promise<Connection | null>
  /**
   * Returns what the client of a tunnel is told when there is no connection: a status line and headers. Absent: 502. A
   * page must not learn more.
   */
  refusal?(): readonly string[]
  /** Returns how TLS in a tunnel to the target is terminated. Absent or null: the tunnel is not read. */
  terminating?(target: Endpoint): Terminating | null
  /** Makes the proxy destroy the socket when the proxy closes, and adds a listener for the socket's errors. */
  track(socket: Duplex): void
}

/** Headers that belong to one hop. They are forwarded neither to the target nor to the browser. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]

/** Serves a CONNECT: copies bytes both ways without reading them, unless the dialler terminates TLS. */
export async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer, dialler: Dialler): Promise<void> {
  dialler.track(client)
  const target = targetOf(request.url ?? '')
  const connection = target && (await dialler.connectTo(target, true))
  const upstream = connection?.socket
  if (!target || !upstream || client.destroyed) {
    upstream?.destroy()
    const [status, ...headers] = dialler.refusal?.() ?? ['502 Bad Gateway']
    client.end([`HTTP/1.1 ${status}`, ...headers, 'content-length: 0', 'connection: close', '', ''].join('\r\n'))
    return
  }
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  client.once('close', () => upstream.destroy())
  upstream.once('close', () => client.destroy())
  const terminating = dialler.terminating?.(target)
  if (terminating && (await opensWithHandshake(client, head)))
    return terminate({ connection, client, hostname: target.host, dialler, ...terminating })
  // What was looked at was put back.
  if (!terminating && head.length > 0) upstream.write(head)
  join(connection, upstream, client)
}

function join(connection: Connection, upstream: Duplex, client: Duplex): void {
  upstream.pipe(client).pipe(upstream)
  count(connection, upstream, client)
}

const HANDSHAKE = 0x16

/** Returns whether the client begins with a TLS handshake, and not with HTTP, as for a WebSocket without TLS. */
async function opensWithHandshake(client: Duplex, head: Buffer): Promise<boolean> {
  const first = head.length > 0 ? head : await firstBytes(client)
  if (first === null) return false
  client.unshift(first)
  return first[0] === HANDSHAKE
}

const firstBytes = (client: Duplex): Promise<Buffer | null> =>
  new Promise((resolve) => {
    client.once('data', (chunk: Buffer) => {
      client.pause()
      resolve(chunk)
    })
    client.once('close', () => resolve(null))
  })

interface Termination extends Terminating {
  readonly connection: Connection
  readonly client: Duplex
  readonly hostname: string
  readonly dialler: Dialler
}

const HANDSHAKE_MS = 5_000

/** Speaks TLS with the target first: a page whose target has no good certificate gets no answer at all. */
async function terminate(termination: Termination): Promise<void> {
  const { connection, client, hostname, dialler, outer, inner, failed } = termination
  const secured = await secure({ socket: connection.socket, hostname, context: outer, tlsMs: HANDSHAKE_MS })
  if (!secured.ok) {
    failed(secured.failure)
    client.destroy()
    return
  }
  const shown = new TLSSocket(client as Socket, { isServer: true, secureContext: inner, ALPNProtocols: ['http/1.1'] })
  dialler.track(shown)
  dialler.track(secured.socket)
  secured.socket.once('close', () => shown.destroy())
  shown.once('close', () => secured.socket.destroy())
  join(connection, secured.socket, shown)
}

/** Serves `GET http://host/path`: one request over its own connection. */
export async function forward(request: IncomingMessage, response: ServerResponse, dialler: Dialler): Promise<void> {
  const url = URL.parse(request.url ?? '')
  if (url?.protocol !== 'http:') return void response.writeHead(400, { connection: 'close' }).end()
  const connection = await dialler.connectTo({ host: url.hostname, port: portOf(url) }, false)
  const upstream = connection?.socket
  // No error response is sent: a page must not be able to mistake the proxy's text for the target's.
  if (!upstream || response.destroyed) {
    upstream?.destroy()
    return void response.destroy()
  }
  const { proxy } = connection
  const outgoing = httpRequest({
    createConnection: () => upstream,
    method: request.method ?? 'GET',
    path: (proxy ? url.origin : '') + url.pathname + url.search,
    headers: { ...endToEnd(request.headers), host: url.host, connection: 'close', ...proxy?.headers },
    setHost: false,
  })
  outgoing.on('response', (answer) => {
    if (proxy?.isOwn(answer.statusCode ?? 502)) return void response.destroy()
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.headers))
    answer.pipe(response)
    count(connection, answer)
    answer.once('error', () => response.destroy())
    answer.once('aborted', () => response.destroy())
  })
  outgoing.once('error', () => response.destroy())
  response.once('close', () => upstream.destroy())
  request.once('error', () => outgoing.destroy())
  request.pipe(outgoing)
  count(connection, request)
}

/** Lets a connection count what passes. To be called after `pipe`: a listener for data would begin the flow. */
function count({ passed }: Connection, ...streams: readonly Readable[]): void {
  if (passed) for (const stream of streams) stream.on('data', passed)
}

/** Returns the host and port of a CONNECT, or null. The authority is `host:port`, with an IPv6 host in brackets. */
function targetOf(authority: string): Endpoint | null {
  const url = URL.parse(`http://${authority}`)
  if (url === null || url.username !== '' || url.pathname !== '/' || url.hostname === '') return null
  return { host: url.hostname, port: portOf(url) }
}

function endToEnd(headers: Readonly<OutgoingHttpHeaders>): OutgoingHttpHeaders {
  const named = String(headers['connection'] ?? '')
    .toLowerCase()
    .split(',')
  const dropped = new Set([...HOP_BY_HOP, ...named.map((name) => name.trim())])
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)))
}
