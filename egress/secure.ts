import type { Socket } from 'node:net'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { SecureContext, TLSSocket } from 'node:tls'
import { errorCode, tlsFailure } from './egress-failure.ts'
import type { EgressFailure } from './egress-failure.ts'
import { plainName } from './resolve.ts'

interface SecureOptions {
  readonly socket: Socket
  /** The name or literal address from the URL. The certificate must be valid for it. */
  readonly hostname: string
  readonly context: SecureContext
  /** Milliseconds for the handshake. */
  readonly tlsMs: number
}

export type Secured =
  | { readonly ok: true; readonly socket: TLSSocket }
  | { readonly ok: false; readonly failure: EgressFailure }

/**
 * Runs a TLS handshake over a vetted socket. HTTP/1.1 only: every server supports it, and HTTP/2 would need guards of
 * its own. Never rejects.
 */
export function secure({ socket, hostname, context, tlsMs }: SecureOptions): Promise<Secured> {
  const name = plainName(hostname)
  return new Promise((resolve) => {
    const tls = connect({
      socket,
      host: name,
      ...(isIP(name) === 0 && { servername: name }),
      secureContext: context,
      ALPNProtocols: ['http/1.1'],
    })
    const timer = setTimeout(() => fail({ kind: 'tls', cause: 'timeout' }), tlsMs)
    function fail(failure: EgressFailure): void {
      clearTimeout(timer)
      resolve({ ok: false, failure })
      tls.destroy()
      socket.destroy()
    }
    tls.once('secureConnect', () => {
      clearTimeout(timer)
      resolve({ ok: true, socket: tls })
    })
    tls.on('error', (error: Error) =>
      fail(errorCode(error) === 'ECONNRESET' ? { kind: 'tls', cause: 'failed' } : tlsFailure(error)),
    )
  })
}
