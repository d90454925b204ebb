import { request as httpRequest } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Endpoint } from './policy.ts'
import { portOf } from './target-url.ts'

/** Opens the outgoing connections of a proxy. */
export interface Dialler {
  /** Returns a vetted connection, or null. Never rejects. */
  connectTo(target: Endpoint): Promise<Socket | null>
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

/** Serves a CONNECT: copies bytes both ways without reading them. */
export async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer, dialler: Dialler): Promise<void> {
  dialler.track(client)
  const target = targetOf(request.url ?? '')
  const upstream = target && (await dialler.connectTo(target))
  if (!upstream || client.destroyed) {
    upstream?.destroy()
    client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    return
  }
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  if (head.length > 0) upstream.write(head)
  upstream.pipe(client).pipe(upstream)
  upstream.once('close', () => client.destroy())
  client.once('close', () => upstream.destroy())
}

/** Serves `GET http://host/path`: one request over a connection of its own. */
export async function forward(request: IncomingMessage, response: ServerResponse, dialler: Dialler): Promise<void> {
  const url = URL.parse(request.url ?? '')
  if (url?.protocol !== 'http:') return void response.writeHead(400, { connection: 'close' }).end()
  const upstream = await dialler.connectTo({ host: url.hostname, port: portOf(url) })
  // No error response is sent: a page must not be able to mistake the proxy's text for the target's.
  if (!upstream || response.destroyed) {
    upstream?.destroy()
    return void response.destroy()
  }
  const outgoing = httpRequest({
    createConnection: () => upstream,
    method: request.method ?? 'GET',
    path: url.pathname + url.search,
    headers: { ...endToEnd(request.headers), host: url.host, connection: 'close' },
    setHost: false,
  })
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.headers))
    answer.pipe(response)
    answer.once('error', () => response.destroy())
    answer.once('aborted', () => response.destroy())
  })
  outgoing.once('error', () => response.destroy())
  response.once('close', () => upstream.destroy())
  request.once('error', () => outgoing.destroy())
  request.pipe(outgoing)
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
