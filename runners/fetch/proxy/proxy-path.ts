import { connect, isIP, type Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { Agent, type buildConnector, type Dispatcher } from 'undici'
import { EgressError, type EgressFailure } from '../../../egress/egress-failure.ts'
import type { EgressPolicy, Endpoint } from '../../../egress/policy.ts'
import { plainName, type Resolver } from '../../../egress/resolve.ts'
import { secure, type Secured } from '../../../egress/secure.ts'
import { vet } from '../../../egress/vet.ts'
import type { ProxyAddress } from './proxy-address.ts'
import type { ProxyFailure } from './proxy-failure.ts'
import { openTunnel } from './tunnel.ts'

export interface PathOptions {
  readonly proxy: ProxyAddress
  /** Judges targets. The proxy itself comes from the settings and is trusted. */
  readonly policy: EgressPolicy
  readonly resolver: Resolver
  /** PEM certificates to trust instead of Node's own list. */
  readonly ca?: string | readonly string[]
  /** Milliseconds for each of: reaching the proxy, its answer to CONNECT, a TLS handshake. Default 10,000. */
  readonly stepMs?: number
}

/** The way of one fetch through the proxy: connections of its own, counted, closed with it. */
export interface ProxyPath {
  readonly agent: Dispatcher
  /** Bytes on the wire between us and the proxy, both ways. */
  bytes(): number
  /** How the proxy failed last; null when it did not. */
  readonly failure: ProxyFailure | null
  /** Whether the last request was handed to the proxy as it is (http), so that an answer may be the proxy's own. */
  readonly isForwarded: boolean
  close(): Promise<void>
}

const STEP_MS = 10_000
const UNREACHED: EgressFailure = { kind: 'connect', cause: 'failed' }

/**
 * Opens no connection yet. A target passes the walls before anything is said to the proxy: its literal addresses and
 * all that its name resolves to here are vetted, on every connection. The proxy gets the name and resolves it itself,
 * so what it dials is not pinned by us (docs/proxy.md): https targets by CONNECT with our own TLS inside, http ones as
 * requests with an absolute URL.
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

  /** A request for an http target names it whole, and says to the proxy who asks. */
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
        callback(error instanceof Error ? error : new Error('no way through', { cause: error }), null),
    )
  }

  async #reach({ hostname, port, protocol }: buildConnector.Options): Promise<Reached> {
    const isSecure = protocol === 'https:'
    const target: Endpoint = { host: hostname, port: port === '' ? (isSecure ? 443 : 80) : Number(port) }
    const vetted = await vet(target, this.#options.policy, this.#options.resolver)
    if (!vetted.ok) return vetted
    this.failure = null
    const socket = await this.#dialProxy()
    if (socket === null) return this.#failed()
    return isSecure ? this.#throughTunnel(socket, target) : { ok: true, socket }
  }

  async #throughTunnel(socket: Socket, target: Endpoint): Promise<Secured | Reached> {
    const name = plainName(target.host)
    const authority = `${isIP(name) === 6 ? `[${name}]` : name}:${target.port}`
    const { authorization } = this.#options.proxy
    this.failure = await openTunnel({ socket, authority, authorization, answerMs: this.#stepMs })
    if (this.failure !== null) return this.#failed()
    return secure({ socket, hostname: target.host, context: this.#context, tlsMs: this.#stepMs })
  }

  #failed(): Reached {
    return { ok: false, failure: UNREACHED }
  }

  /** Null, with `failure` set, when it cannot be reached. */
  async #dialProxy(): Promise<Socket | null> {
    const { host, port, isSecure } = this.#options.proxy
    const socket = connect({ host: plainName(host), port, noDelay: true })
    this.#sockets.push(socket)
    if (!(await connected(socket, this.#stepMs))) {
      this.failure = { cause: 'unreachable' }
      return null
    }
    if (!isSecure) return socket
    const secured = await secure({ socket, hostname: host, context: this.#context, tlsMs: this.#stepMs })
    if (secured.ok) return secured.socket
    this.failure = { cause: 'tls' }
    return null
  }
}

/**
 * A socket that is handed out keeps its listener for errors: between two owners one must not become an uncaught one.
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
