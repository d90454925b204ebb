import type { Socket } from 'node:net'
import { type ProxyFailure, proxyStatus } from './proxy-failure.ts'

interface TunnelRequest {
  /** Connected to the proxy. Nothing else reads from it yet. */
  readonly socket: Socket
  /** `host:port` of the target, IPv6 in brackets. */
  readonly authority: string
  readonly authorization: string | null
  /** Milliseconds for the proxy's response. The proxy connects to the target meanwhile. */
  readonly answerMs: number
}

const MOST_HEADER_BYTES = 16 * 1024
const END = '\r\n\r\n'

/**
 * Asks a proxy for a tunnel (RFC 9110 §9.3.6). Returns null when the socket is now the tunnel, otherwise the failure,
 * with the socket destroyed. Never rejects.
 */
export function openTunnel({
  socket,
  authority,
  authorization,
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
      else if (head.length > MOST_HEADER_BYTES) end({ cause: 'garbage' })
    }
    socket.on('readable', read).once('close', onClose)
    const login = authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${login}\r\n`)
  })
}

/** In TLS the client sends first, so bytes after the proxy's header are not from the target. */
function verdict(head: string): ProxyFailure | null {
  const status = Number(/^HTTP\/1\.[01] (\d{3})[ \r]/.exec(head)?.[1] ?? 0)
  if (status === 0) return { cause: 'garbage' }
  if (status < 200 || status > 299) return proxyStatus(status)
  return head.endsWith(END) && head.indexOf(END) === head.length - END.length ? null : { cause: 'garbage' }
}
