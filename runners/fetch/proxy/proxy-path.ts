import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { Agent, type buildConnector, type Dispatcher } from 'undici'
import { EgressError, type EgressFailure } from '../../../egress/egress-failure.ts'
import { vet } from '../../../egress/guarded-agent.ts'
import type { EgressPolicy, Endpoint } from '../../../egress/policy.ts'
import type { Resolver } from '../../../egress/resolve.ts'
import { secure, type Secured } from '../../../egress/secure.ts'
import type { ProxyAddress } from './proxy-address.ts'
import type { ProxyFailure } from './proxy-failure.ts'
import { dialProxy, openTunnel } from './tunnel.ts'

interface PathOptions {
  readonly proxy: ProxyAddress
  /** Checks targets. The proxy itself comes from the settings and is trusted. */
  readonly policy: EgressPolicy
  readonly resolver: Resolver
  /** An opaque key of the team that the fetch is for. */
  readonly team: string
  /** PEM certificates to trust instead of Node's built-in list. */
  readonly ca?: string | readonly string[]
  /** Milliseconds for each of: reaching the proxy, its response to CONNECT, a TLS handshake. Default 10,000. */
  readonly stepMs?: number
}

/**
 * The connections of one fetch through the proxy. They are not shared, their bytes are counted, and they close with the
 * fetch.
 */
export interface ProxyPath {
  readonly agent: Dispatcher
  /** Returns the bytes on the wire to and from the proxy. */
  bytes(): number
  /** The last failure of the proxy; null when it did not fail. */
  readonly failure: ProxyFailure | null
  /** Whether the last request was forwarded by the proxy (http), so that a response may be the proxy's own. */
  readonly isForwarded: boolean
  close(): Promise<void>
}

const STEP_MS = 10_000
const UNREACHED: EgressFailure = { kind: 'connect', cause: 'failed' }

/**
 * Creates the path; it opens no connection yet. A target passes the egress guard before anything is sent to the proxy:
 * on every connection its literal address, or all addresses that its name resolves to here, are vetted. The proxy
 * receives the name and resolves it itself, so its connection is not pinned (docs/proxy.md). https targets use CONNECT
 * with end-to-end TLS inside; http targets use requests with an absolute URL.
 */
export function openProxyPath(options: PathOptions): ProxyPath {
  return new CountedPath(options)
}

type Reached = { readonly ok: true; readonly socket: Socket } | { readonly ok: false; readonly failure: EgressFailure }

class CountedPath implements ProxyPath {
  readonly agent: Dispatcher
  failure: ProxyFailure | null = null
  isForwarded = false
  readonly #options: PathOptions
  readonly #agent: Agent
  readonly #sockets: Socket[] = []
  readonly #context: SecureContext
  readonly #stepMs: number

  constructor(options: PathOptions) {
    const { ca, stepMs = STEP_MS } = options
    this.#options = options
    this.#stepMs = stepMs
    this.#context = createSecureContext({ minVersion: 'TLSv1.2', ...(ca !== undefined && { ca: [ca].flat() }) })
    this.#agent = new Agent({
      connections: 1,
      allowH2: false,
      maxHeaderSize: 16_384,
      headersTimeout: 15_000,
      bodyTimeout: 15_000,
      connect: (target, callback) => this.#connect(target, callback),
    })
    this.agent = this.#agent.compose((dispatch) => (request, handler) => dispatch(this.#addressed(request), handler))
  }

  bytes(): number {
    return this.#sockets.reduce((sum, socket) => sum + socket.bytesRead + socket.bytesWritten, 0)
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }

  /** Gives a request for an http target an absolute URL and the proxy's credentials. */
  #addressed(request: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
    const { authorization } = this.#options.proxy
    const origin = String(request.origin)
    this.isForwarded = origin.startsWith('http:')
    if (!this.isForwarded) return request
    // guardedRequest sends a flat list.
    const headers = [...(request.headers as string[])]
    if (authorization !== null) headers.push('proxy-authorization', authorization)
    return { ...request, path: origin + request.path, headers }
  }

  #connect(target: buildConnector.Options, callback: buildConnector.Callback): void {
    this.#reach(target).then(
      (reached) => (reached.ok ? callback(null, reached.socket) : callback(new EgressError(reached.failure), null)),
      (error: unknown) =>
        callback(
          error instanceof Error ? error : new Error('connect through the proxy failed', { cause: error }),
          null,
        ),
    )
  }

  async #reach({ hostname, port, protocol }: buildConnector.Options): Promise<Reached> {
    const isSecure = protocol === 'https:'
    const target: Endpoint = { host: hostname, port: port === '' ? (isSecure ? 443 : 80) : Number(port) }
    const { policy, resolver, team } = this.#options
    const vetted = await vet(target, policy, resolver, team)
    if (!vetted.ok) return vetted
    this.failure = null
    const dialled = await dialProxy(this.#options.proxy, {
      context: this.#context,
      stepMs: this.#stepMs,
      onSocket: (socket) => this.#sockets.push(socket),
    })
    if ('cause' in dialled) {
      this.failure = dialled
      return this.#failed()
    }
    return isSecure ? this.#throughTunnel(dialled, target) : { ok: true, socket: dialled }
  }

  async #throughTunnel(socket: Socket, target: Endpoint): Promise<Secured | Reached> {
    const { authorization } = this.#options.proxy
    this.failure = await openTunnel({ socket, target, authorization, answerMs: this.#stepMs })
    if (this.failure !== null) return this.#failed()
    const { ca, policy, team } = this.#options
    const { trust } = policy
    const trusted = trust.clientContext(target.host, team) ?? trust.context
    const context = ca === undefined ? trusted : this.#context
    return secure({ socket, hostname: target.host, context, tlsMs: this.#stepMs })
  }

  #failed(): Reached {
    return { ok: false, failure: UNREACHED }
  }
}
