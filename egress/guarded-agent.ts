import { LRUCache } from 'lru-cache'
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { Agent, type buildConnector, type Dispatcher } from 'undici'
import { unmapped, classify, addressBytes } from './address.ts'
import { EgressError, connectFailure, deniedBy, type EgressFailure } from './egress-failure.ts'
import { type EgressPolicy, type Endpoint, sameHost } from './policy.ts'
import { type Resolver, type Address, isLocalhost, plainName, systemResolver } from './resolve.ts'
import { secure, type Secured } from './secure.ts'
import type { Trust } from './trust.ts'

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
  /** PEM certificates to trust instead of those of the policy. */
  readonly ca?: string | readonly string[]
}

/**
 * Returns an undici Agent whose every connection passes the egress guard. The caller decides what it carries: static
 * checks and webhooks share this code, each with its own agent. A refused connection fails its requests with an
 * `EgressError`. HTTP/1.1, TLS 1.2 or later, headers up to 16 KiB. Close it with `await agent.close()`.
 */
export function createGuardedAgent(policy: EgressPolicy, options: AgentOptions = {}): Agent {
  const firstByteMs = options.firstByteMs ?? 15_000
  const askers = new LRUCache<string, string>({ max: MAX_ASKERS })
  const { ca } = options
  const context =
    ca === undefined ? policy.trust.context : createSecureContext({ minVersion: 'TLSv1.2', ca: [ca].flat() })
  const askerOf = (origin: string) => askers.get(origin) ?? ''
  const optionsOf = (own: SecureContext): Agent.Options => ({
    connections: options.connections ?? 64,
    connect: createConnector({ policy, context: own, askerOf }, options),
    allowH2: false,
    maxHeaderSize: 16_384,
    // Equal on purpose: undici then restarts one timer per connection instead of replacing it twice per request.
    headersTimeout: firstByteMs,
    bodyTimeout: firstByteMs,
  })
  return new GuardedAgent({ optionsOf, context, askers, trust: policy.trust })
}

interface GuardedAgentParts {
  /** Returns the options of an agent whose connections use this context. */
  readonly optionsOf: (context: SecureContext) => Agent.Options
  readonly context: SecureContext
  readonly askers: LRUCache<string, string>
  readonly trust: Trust
}

/** Origins whose asker is known. Far more than requests are under way at once. */
const MAX_ASKERS = 10_000

/** A request and the team that it is for. */
export interface GuardedDispatch extends Dispatcher.DispatchOptions {
  /** An opaque key of the team. Absent: the request is of no team. */
  readonly team?: string | undefined
}

/**
 * Remembers for which team an origin was last requested. undici opens a connection for an origin, not for a request, so
 * its connector cannot know; the team decides whose turn the name lookup is.
 */
class GuardedAgent extends Agent {
  readonly #parts: GuardedAgentParts
  /** Agents by the context with the client certificate that their connections show. No connection serves two. */
  readonly #shown = new Map<SecureContext, Agent>()

  constructor(parts: GuardedAgentParts) {
    super(parts.optionsOf(parts.context))
    this.#parts = parts
  }

  override dispatch(options: Agent.DispatchOptions & GuardedDispatch, handler: Dispatcher.DispatchHandler): boolean {
    const { team = '' } = options
    const origin = String(options.origin)
    const { askers, trust } = this.#parts
    if (askers.get(origin) !== team) askers.set(origin, team)
    const own = trust.isPlain ? null : shownTo(origin, team, trust)
    return own === null ? super.dispatch(options, handler) : this.#agentOf(own).dispatch(options, handler)
  }

  #agentOf(context: SecureContext): Agent {
    const agent = this.#shown.get(context) ?? new Agent(this.#parts.optionsOf(context))
    this.#shown.set(context, agent)
    return agent
  }

  // undici calls the form with a callback itself, from the one without.
  override close(): Promise<void>
  override close(callback: () => void): void
  override close(callback?: () => void): Promise<void> | void {
    if (callback !== undefined) return super.close(callback)
    return Promise.all([...[...this.#shown.values()].map((agent) => agent.close()), super.close()]).then(
      () => undefined,
    )
  }

  override destroy(): Promise<void>
  override destroy(error: Error | null): Promise<void>
  override destroy(callback: () => void): void
  override destroy(error: Error | null, callback: () => void): void
  override destroy(first: Error | null | (() => void) = null, callback?: () => void): Promise<void> | void {
    if (typeof first === 'function') return super.destroy(first)
    if (callback !== undefined) return super.destroy(first, callback)
    const others = [...this.#shown.values()].map((agent) => agent.destroy(first))
    return Promise.all([...others, super.destroy(first)]).then(() => undefined)
  }
}

function shownTo(origin: string, team: string, trust: Trust): SecureContext | null {
  const url = URL.parse(origin)
  return url?.protocol === 'https:' ? trust.clientContext(url.hostname, team) : null
}

interface ConnectorParts {
  readonly policy: EgressPolicy
  readonly context: SecureContext
  readonly askerOf: (origin: string) => string
}

/** Returns the connect function. `askerOf` returns the team that an origin was last requested for. */
function createConnector(
  { policy, context, askerOf }: ConnectorParts,
  options: AgentOptions,
): buildConnector.connector {
  const { resolver = systemResolver(), open, connectMs = 5_000, tlsMs = 5_000 } = options
  const ports: DialPorts = { policy, resolver, connectMs, ...(open && { open }) }

  async function connectTo(target: buildConnector.Options): Promise<Dialled | Secured> {
    const isSecure = target.protocol === 'https:'
    const port = target.port === '' ? (isSecure ? 443 : 80) : Number(target.port)
    const dialled = await dial({ host: target.hostname, port }, ports, askerOf(`${target.protocol}//${target.host}`))
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

type Vetted =
  | { readonly ok: true; readonly addresses: readonly Address[] }
  | { readonly ok: false; readonly failure: EgressFailure }

/**
 * The resolve half of resolve-and-pin. Returns the addresses that may be dialled for a host and port, in the resolver's
 * order. One refused address refuses the whole result: a name that mixes public and private addresses has no legitimate
 * use. `team` is the key of the team that asks. Never rejects.
 */
export async function vet(target: Endpoint, policy: EgressPolicy, resolver: Resolver, team: string): Promise<Vetted> {
  const refused: Vetted = { ok: false, failure: deniedBy(policy) }
  const name = plainName(target.host)
  const resolved = await resolver.resolve(name, team)
  if (!resolved.ok) return hidesFailure(name, policy) ? refused : resolved
  const { addresses } = resolved
  // localhost is both loopback addresses by definition; an operator who opened one of them meant that one.
  const allowed = addresses.filter(({ address }) => policy.refusal(address, target.port) === null)
  if (allowed.length === 0 || (allowed.length < addresses.length && !isLocalhost(name))) return refused
  for (const own of policy.namedEndpoints(target.port)) {
    if (plainName(own.host) === name || (await leadsTo(own, allowed, resolver))) return refused
  }
  return { ok: true, addresses: allowed }
}

/**
 * Returns whether any address belongs to an endpoint of this installation that is known by name. When that name does
 * not resolve at the moment, private addresses are refused, because one of them may be the endpoint. Public ones are
 * allowed: a database that is down must not stop every check on its port.
 */
async function leadsTo(own: Endpoint, addresses: readonly Address[], resolver: Resolver): Promise<boolean> {
  const resolved = await resolver.resolve(own.host)
  if (!resolved.ok) return addresses.some(({ address }) => classify(address) !== 'public')
  return addresses.some(({ address }) => {
    const bytes = unmapped(addressBytes(address) ?? [])
    return resolved.addresses.some((other) => sameHost(other.address, bytes))
  })
}

const INTERNAL_NAME =
  /^[^.]+$|\.(?:internal|local|localdomain|svc|cluster\.local|lan|home|corp|intranet|private|home\.arpa)$/

/**
 * Returns whether a failed lookup is reported as a refused address. For names that only a private resolver knows, the
 * two must look the same: otherwise names can be probed.
 */
function hidesFailure(name: string, policy: EgressPolicy): boolean {
  return !policy.opensPrivate && INTERNAL_NAME.test(name)
}

export type Dialled =
  | { readonly ok: true; readonly socket: Socket }
  | { readonly ok: false; readonly failure: EgressFailure }

/** Opens a TCP connection. This is `net.connect`, except in tests that count connections. */
export type OpenSocket = (options: TcpNetConnectOpts) => Socket

export interface DialPorts {
  readonly policy: EgressPolicy
  readonly resolver: Resolver
  /** Milliseconds for the TCP connect, without the name lookup. */
  readonly connectMs: number
  readonly open?: OpenSocket
}

/** Limits the dialled addresses: all addresses of a name are vetted, but not all of hundreds are tried. */
const MAX_ATTEMPTS = 8

/**
 * Resolve-and-pin: vets every address of the target, dials only vetted ones, and checks the connected address again
 * before a byte is written. The egress proxy dials through it too. Never rejects. A returned socket has a listener for
 * errors.
 */
export async function dial(target: Endpoint, ports: DialPorts, team = ''): Promise<Dialled> {
  const vetted = await vet(target, ports.policy, ports.resolver, team)
  if (!vetted.ok) return vetted
  const dialled = await openPinned(target, vetted.addresses.slice(0, MAX_ATTEMPTS), ports)
  if (!dialled.ok || isPinned(dialled.socket, vetted.addresses, target.port, ports.policy)) return dialled
  dialled.socket.destroy()
  return { ok: false, failure: deniedBy(ports.policy) }
}

function openPinned(target: Endpoint, addresses: readonly Address[], ports: DialPorts): Promise<Dialled> {
  return new Promise((resolve) => {
    const socket = (ports.open ?? connect)(socketOptions(target, addresses))
    const timer = setTimeout(() => {
      resolve({ ok: false, failure: { kind: 'connect', cause: 'timeout' } })
      socket.destroy()
    }, ports.connectMs)
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve({ ok: true, socket })
    })
    // The listener stays: until the caller takes the socket over, an error must not become an uncaught exception.
    socket.on('error', (error) => {
      clearTimeout(timer)
      resolve({ ok: false, failure: connectFailure(error) })
    })
  })
}

/** Several addresses go through Node's Happy Eyeballs. Its lookup returns the vetted list and nothing else. */
function socketOptions(target: Endpoint, addresses: readonly Address[]): TcpNetConnectOpts {
  const shared = { port: target.port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }
  const [only] = addresses
  if (only !== undefined && addresses.length === 1) return { ...shared, host: only.address, family: only.family }
  return {
    ...shared,
    host: target.host,
    autoSelectFamily: true,
    lookup: (_hostname, _options, callback) => callback(null, [...addresses]),
  }
}

function isPinned(socket: Socket, addresses: readonly Address[], port: number, policy: EgressPolicy): boolean {
  const remote = socket.remoteAddress
  if (remote === undefined || policy.refusal(remote, port) !== null) return false
  const reached = keyOf(remote)
  return addresses.some(({ address }) => keyOf(address) === reached)
}

function keyOf(address: string): string {
  return unmapped(addressBytes(address) ?? []).join('.')
}
