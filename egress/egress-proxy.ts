import { LRUCache } from 'lru-cache'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { classify } from './address.ts'
import { deniedBy, type EgressFailure } from './egress-failure.ts'
import { dial, type DialPorts, type OpenSocket, vet } from './guarded-agent.ts'
import type { EgressPolicy, Endpoint } from './policy.ts'
import { type Connection, type Dialler, forward, type Terminating, tunnel } from './relay.ts'
import { plainName, type Resolver, systemResolver } from './resolve.ts'
import { throwaway } from './throwaway-certificate.ts'
import type { Trust } from './trust.ts'

/**
 * A way to targets by another proxy. The targets were vetted before. A proxy resolves their names itself, so these
 * connections are not pinned (docs/proxy.md).
 */
export interface Detour {
  /** Opens a connection for a tunnel, or for one request. Never rejects. */
  open(
    target: Endpoint,
    isTunnel: boolean,
  ): Promise<({ readonly ok: true } & Connection) | { readonly ok: false; readonly failure: EgressFailure }>
}

interface EgressProxyOptions {
  readonly resolver?: Resolver
  readonly open?: OpenSocket
  /** Absent: targets are dialled directly. */
  readonly detour?: Detour
  /** Milliseconds for a TCP connect. Default 5,000. */
  readonly connectMs?: number
  /** Milliseconds that a connection may be idle. Default 60,000. */
  readonly idleMs?: number
}

/** A forward proxy for one browser, on loopback. */
export interface EgressProxy {
  /** `http://127.0.0.1:PORT` */
  readonly server: string
  /** Returns such an address of a team's own, by the opaque key of the team: its name lookups are the team's. */
  serverFor(team: string): Promise<string>
  /** Returns why the last connection to this host and port failed. Null when it succeeded, or when none was tried. */
  failureOf(target: Endpoint): EgressFailure | null
  /** Connections since the start. */
  readonly counts: { readonly opened: number; readonly denied: number }
  close(): Promise<void>
}

/** The most failures that are remembered, by host and port, for the life of the browser. */
const MAX_FAILURES = 1_000

/**
 * The egress guard around a browser. It takes CONNECT and absolute-form requests and dials each through the guard. So
 * names are resolved here, and only vetted addresses are connected to. It asks for no password: a process that can
 * reach it on loopback can reach the same targets without it.
 */
export async function startEgressProxy(policy: EgressPolicy, options: EgressProxyOptions = {}): Promise<EgressProxy> {
  const { resolver = systemResolver(), open, connectMs = 5_000, idleMs = 60_000, detour } = options
  const ports: DialPorts = { policy, resolver, connectMs, ...(open && { open }) }
  const failures = new LRUCache<string, EgressFailure>({ max: MAX_FAILURES })
  const counts = { opened: 0, denied: 0 }
  const sockets = new Set<Duplex>()

  async function byDetour(way: Detour, target: Endpoint, isTunnel: boolean, team: string) {
    const vetted = await vet(target, policy, resolver, team)
    return vetted.ok ? way.open(target, isTunnel) : vetted
  }

  async function connectTo(target: Endpoint, isTunnel: boolean, team: string): Promise<Connection | null> {
    const opened = await (detour ? byDetour(detour, target, isTunnel, team) : dial(target, ports, team))
    const dialled = notOwn(opened, policy)
    const key = keyOf(target)
    failures.delete(key)
    if (dialled.ok) {
      counts.opened += 1
      track(dialled.socket)
      dialled.socket.setTimeout(idleMs, () => dialled.socket.destroy())
      return dialled
    }
    if (dialled.failure.kind === 'denied') counts.denied += 1
    failures.set(key, dialled.failure)
    return null
  }

  function track(socket: Duplex): void {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
  }

  function listenFor(team: string): Promise<Listening> {
    const dialler: Dialler = {
      connectTo: (target, isTunnel) => connectTo(target, isTunnel, team),
      terminating: (target) =>
        terminating(target, { trust: policy.trust, team, failed: (why) => failures.set(keyOf(target), why) }),
      track,
    }
    return listen(serverOf(dialler, idleMs))
  }

  /** By team. A browser shows some hundred pages at most, so these are few. */
  const listeners = new Map<string, Promise<Listening>>()
  function listener(team: string): Promise<Listening> {
    const known = listeners.get(team) ?? listenFor(team)
    listeners.set(team, known)
    return known
  }
  const addressOf = async (team: string) => `http://127.0.0.1:${(await listener(team)).port}`

  return {
    server: await addressOf(''),
    serverFor: addressOf,
    failureOf: (target) => failures.get(keyOf(target)) ?? null,
    counts,
    async close() {
      const all = await Promise.all(listeners.values())
      await Promise.all(all.map(({ server }) => closeServer(server, sockets)))
    },
  }
}

interface Terminated {
  readonly trust: Trust
  readonly team: string
  readonly failed: (failure: EgressFailure) => void
}

/**
 * Chromium knows neither private authorities nor client certificates, so where there are some, the proxy speaks TLS in
 * its place. A listener belongs to one team, and only that team's certificates are shown through it.
 */
function terminating(target: Endpoint, { trust, team, failed }: Terminated): Terminating | null {
  const own = trust.clientContext(target.host, team)
  if (own === null && !trust.hasAuthorities) return null
  return { outer: own ?? trust.context, inner: throwaway().contextFor(plainName(target.host)), failed }
}

function keyOf({ host, port }: Endpoint): string {
  return `${plainName(host)}:${port}`
}

interface Listening {
  readonly server: Server
  readonly port: number
}

type Opened = Awaited<ReturnType<Detour['open']>>

/** The ports of all egress proxies of this process. */
const LISTENERS = new Set<number>()

const isListener = ({ remoteAddress = '', remotePort = 0 }: Socket): boolean =>
  LISTENERS.has(remotePort) && classify(remoteAddress) !== 'public'

/** Refuses a connection to an egress proxy: through that of another team, a page would show its certificates. */
function notOwn(dialled: Opened, policy: EgressPolicy): Opened {
  if (!dialled.ok || !isListener(dialled.socket)) return dialled
  dialled.socket.destroy()
  return { ok: false, failure: deniedBy(policy) }
}

function listen(server: Server): Promise<Listening> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const { port } = server.address() as AddressInfo
      LISTENERS.add(port)
      server.once('close', () => LISTENERS.delete(port))
      resolve({ server, port })
    })
  })
}

/** Returns the server of a listener, whose requests go out through the dialler. */
function serverOf(dialler: Dialler, keepAliveTimeout: number): Server {
  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout },
    (request, response) => void forward(request, response, dialler),
  )
  server.on(
    'connect',
    (request: IncomingMessage, client: Duplex, head: Buffer) => void tunnel(request, client, head, dialler),
  )
  server.on('clientError', (_error, socket) => socket.destroy())
  return server
}

function closeServer(server: Server, sockets: ReadonlySet<Duplex>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
    for (const socket of sockets) socket.destroy()
  })
}
