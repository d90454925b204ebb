import { createSecureContext } from 'node:tls'
import { Agent, type buildConnector } from 'undici'
import { dial } from './dial.ts'
import type { Dialled, DialPorts, OpenSocket } from './dial.ts'
import { EgressError } from './egress-failure.ts'
import type { EgressPolicy } from './policy.ts'
import { createResolver } from './resolve.ts'
import type { Resolver } from './resolve.ts'
import { secure } from './secure.ts'
import type { Secured } from './secure.ts'

export interface AgentOptions {
  readonly resolver?: Resolver
  readonly open?: OpenSocket
  /** Keep-alive connections per origin. Default 64. */
  readonly connections?: number
  /** Milliseconds for the TCP connect. Default 5,000. */
  readonly connectMs?: number
  /** Milliseconds for the TLS handshake. Default 5,000. */
  readonly tlsMs?: number
  /**
   * Milliseconds until the response headers, counted from the request. The same limit applies to a pause within the
   * body. Default 15,000.
   */
  readonly firstByteMs?: number
  /** PEM certificates to trust instead of Node's built-in list. */
  readonly ca?: string | readonly string[]
}

/**
 * Returns an undici Agent whose every connection passes the egress guard. The caller decides what it carries: static
 * checks and webhooks share this code, each with an agent of its own. A refused connection fails its requests with an
 * `EgressError`. HTTP/1.1, TLS 1.2 or later, headers up to 16 KiB. Close it with `await agent.close()`.
 */
export function createGuardedAgent(policy: EgressPolicy, options: AgentOptions = {}): Agent {
  const firstByteMs = options.firstByteMs ?? 15_000
  return new Agent({
    connections: options.connections ?? 64,
    connect: createConnector(policy, options),
    allowH2: false,
    maxHeaderSize: 16_384,
    // Equal on purpose: undici then restarts one timer per connection instead of replacing it twice per request.
    headersTimeout: firstByteMs,
    bodyTimeout: firstByteMs,
  })
}

/** Returns only the connect function, for a Pool or Client with settings of its own. */
function createConnector(policy: EgressPolicy, options: AgentOptions = {}): buildConnector.connector {
  const { resolver = createResolver(), open, connectMs = 5_000, tlsMs = 5_000, ca } = options
  const ports: DialPorts = { policy, resolver, connectMs, ...(open && { open }) }
  // One context for all connections: creating one per connection costs more than the handshake's computation.
  const context = createSecureContext({ minVersion: 'TLSv1.2', ...(ca !== undefined && { ca: [ca].flat() }) })

  async function connectTo(target: buildConnector.Options): Promise<Dialled | Secured> {
    const isSecure = target.protocol === 'https:'
    const port = target.port === '' ? (isSecure ? 443 : 80) : Number(target.port)
    const dialled = await dial({ host: target.hostname, port }, ports)
    if (!dialled.ok || !isSecure) return dialled
    return secure({ socket: dialled.socket, hostname: target.hostname, context, tlsMs })
  }

  return (target, callback) => {
    connectTo(target).then(
      (result) => (result.ok ? callback(null, result.socket) : callback(new EgressError(result.failure), null)),
      (error: unknown) =>
        callback(error instanceof Error ? error : new Error('connect failed', { cause: error }), null),
    )
  }
}
