import { connect, isIP, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Endpoint } from '../../../egress/policy.ts'
import { plainName } from '../../../egress/resolve.ts'
import { secure } from '../../../egress/secure.ts'
import type { ProxyAddress } from './proxy-address.ts'
import { isPlainCause, type ProxyFailure, proxyStatus } from './proxy-failure.ts'

interface DialProxy {
  readonly context: SecureContext
  /** Milliseconds for each of: the TCP connect, the TLS handshake. */
  readonly stepMs: number
  /** Receives the TCP socket, whose bytes are counted. */
  readonly onSocket: (socket: Socket) => void
}

/** Opens a connection to a proxy, with TLS where it has it. Never rejects. */
export async function dialProxy(
  { host, port, isSecure }: ProxyAddress,
  { context, stepMs, onSocket }: DialProxy,
): Promise<Socket | ProxyFailure> {
  const socket = connect({ host: plainName(host), port, noDelay: true })
  onSocket(socket)
  if (!(await connected(socket, stepMs))) return { cause: 'unreachable' }
  if (!isSecure) return socket
  const secured = await secure({ socket, hostname: host, context, tlsMs: stepMs })
  return secured.ok ? secured.socket : { cause: 'tls' }
}

/**
 * The listener for errors stays on a returned socket: until the caller adds its own, an error must not become an
 * uncaught exception.
 */
function connected(socket: Socket, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(false), withinMs)
    function end(isConnected: boolean): void {
      clearTimeout(timer)
      if (!isConnected) socket.destroy()
      resolve(isConnected)
    }
    socket.once('connect', () => end(true))
    socket.on('error', () => end(false))
  })
}

interface TunnelRequest {
  /** Connected to the proxy. Nothing else reads from it yet. */
  readonly socket: Socket
  readonly target: Endpoint
  readonly authorization: string | null
  /** More headers for the proxy. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Milliseconds for the proxy's response. In this time the proxy connects to the target. */
  readonly answerMs: number
}

const MAX_HEADER_BYTES = 16 * 1024
const END = '\r\n\r\n'

/**
 * Asks a proxy for a tunnel (RFC 9110 §9.3.6). Returns null when the socket is now the tunnel, otherwise the failure,
 * with the socket destroyed. Never rejects.
 */
export function openTunnel({
  socket,
  target,
  authorization,
  headers = {},
  answerMs,
}: TunnelRequest): Promise<ProxyFailure | null> {
  return new Promise((resolve) => {
    let head = ''
    const timer = setTimeout(() => end({ cause: 'silent' }), answerMs)
    function end(failure: ProxyFailure | null): void {
      clearTimeout(timer)
      socket.off('readable', read).off('close', onClose)
      if (failure !== null) socket.destroy()
      resolve(failure)
    }
    function onClose(): void {
      end(head === '' ? { cause: 'closed' } : { cause: 'garbage' })
    }
    function read(): void {
      for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null)
        head += chunk.toString('latin1')
      if (head.includes(END)) end(verdict(head))
      else if (head.length > MAX_HEADER_BYTES) end({ cause: 'garbage' })
    }
    socket.on('readable', read).once('close', onClose)
    const name = plainName(target.host)
    const authority = `${isIP(name) === 6 ? `[${name}]` : name}:${target.port}`
    const login = authorization === null ? headers : { 'Proxy-Authorization': authorization, ...headers }
    const lines = Object.entries({ Host: authority, ...login }).map(([key, value]) => `${key}: ${value}\r\n`)
    socket.write(`CONNECT ${authority} HTTP/1.1\r\n${lines.join('')}\r\n`)
  })
}

/** In TLS the client sends first, so bytes after the proxy's header are not from the target. */
function verdict(head: string): ProxyFailure | null {
  const status = Number(/^HTTP\/1\.[01] (\d{3})[ \r]/.exec(head)?.[1] ?? 0)
  if (status === 0) return { cause: 'garbage' }
  if (status < 200 || status > 299) return reportedCause(head) ?? proxyStatus(status)
  return head.endsWith(END) && head.indexOf(END) === head.length - END.length ? null : { cause: 'garbage' }
}

/** A runner's relay says how the proxy behind it failed. */
function reportedCause(head: string): ProxyFailure | null {
  const cause = /\r\ntidemark-failure: (\w+)\r\n/i.exec(head)?.[1] ?? ''
  return isPlainCause(cause) ? { cause } : null
}
