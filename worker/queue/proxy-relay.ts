import type { Duplex } from 'node:stream'
import type { Logger } from '../../core/logger.ts'
import { vet } from '../../egress/guarded-agent.ts'
import type { EgressPolicy, Endpoint } from '../../egress/policy.ts'
import { type Dialler, tunnel } from '../../egress/relay.ts'
import { type Resolver, systemResolver } from '../../egress/resolve.ts'
import type { ProxyAddress } from '../../runners/fetch/proxy/proxy-address.ts'
import { isPlainCause, type ProxyFailure } from '../../runners/fetch/proxy/proxy-failure.ts'
import { MAX_RENDER_BYTES } from '../../runners/fetch/proxy/proxy-layer.ts'
import { createProxyRoute, type ProxyRoute } from '../../runners/fetch/proxy/proxy-route.ts'
import type { RunnerProxyHold } from '../../schema/runner-api.ts'
import type { Store } from '../../store/db/client.ts'
import type { Held } from '../../store/queue/lease.ts'
import { bookProxyBytes, findRelayHold, holdProxyBytes, settleProxyBytes } from '../../store/quota/proxy-usage.ts'

interface ProxyRelayOptions {
  readonly store: Store
  readonly proxy: ProxyAddress
  readonly policy: EgressPolicy
  readonly resolver?: Resolver
  readonly log: Pick<Logger, 'warn'>
}

/** A CONNECT of a runner, as Node's server gives it. */
export interface RelayedConnect {
  readonly request: Parameters<typeof tunnel>[0]
  readonly client: Duplex
  readonly head: Buffer
}

/**
 * Connects the pages of runners with the proxy of this installation. The credentials and the allowance stay here: a
 * runner names a check that it has leased, and the bytes are counted for that check's team.
 */
export interface ProxyRelay {
  /** Reserves bytes for a run; a reservation of the same run before it is replaced. */
  hold(check: { readonly no: number; readonly runId: string }): Promise<RunnerProxyHold>
  /** Releases what was not used. */
  release(check: Held, holder: number): Promise<void>
  /** Serves a CONNECT for a check that is leased with this runner token and has a reservation. Never rejects. */
  connect(asked: RelayedConnect, check: Held, holder: number): Promise<void>
  /** Ends all connections. */
  close(): void
}

/** A runner that vanished must not keep its connections open for ever. */
const IDLE_MS = 90_000

/** The connections of one reservation in this process. */
interface Open {
  readonly route: ProxyRoute
  readonly teamId: string
  connections: number
}

/**
 * Creates the relay. Only connections under way are known in memory, so any worker serves any CONNECT. The connections
 * of one reservation in one process are cut off together at what was left of it when the first of them began. Several
 * workers behind one address may each let that much pass; an honest runner counts too, and stops at what it was given.
 */
export function createProxyRelay({ store, proxy, policy, log, ...rest }: ProxyRelayOptions): ProxyRelay {
  const { resolver = systemResolver() } = rest
  const open = new Map<string, Open>()
  const clients = new Set<Duplex>()

  function enter({ id, teamId, bytes }: { id: string; teamId: string; bytes: number }): Open {
    const known = open.get(id) ?? { teamId, connections: 0, route: createProxyRoute({ proxy, mostBytes: bytes }) }
    open.set(id, known)
    known.connections += 1
    return known
  }

  async function leave(id: string, one: Open): Promise<void> {
    one.connections -= 1
    if (one.connections > 0) return
    open.delete(id)
    one.route.close()
    const bytes = one.route.bytes()
    await bookProxyBytes(store, { id, teamId: one.teamId }, bytes).catch((error: unknown) =>
      log.warn({ err: error, bytes, team_id: one.teamId }, 'proxy bytes were not counted'),
    )
  }

  async function connect({ request, client, head }: RelayedConnect, check: Held, holder: number): Promise<void> {
    track(client)
    const held = await findRelayHold(store, check, holder).catch(() => null)
    if (held === null || client.destroyed)
      return void client.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    const one = enter(held)
    client.once('close', () => void leave(held.id, one))
    await tunnel(request, client, head, diallerOf(one.route, held.teamId))
  }

  function track(client: Duplex): void {
    clients.add(client)
    client.on('error', () => client.destroy())
    client.once('close', () => clients.delete(client))
  }

  function diallerOf(route: ProxyRoute, team: string): Dialler {
    let refusal = ['403 Forbidden']
    return {
      async connectTo(target: Endpoint) {
        const vetted = await vet(target, policy, resolver, team)
        if (!vetted.ok) return null
        const opened = await route.open(target, true)
        if (opened.ok) {
          opened.socket.setTimeout(IDLE_MS, () => opened.socket.destroy())
          return opened
        }
        if (route.failure !== null) refusal = causeHeaders(route.failure)
        return null
      },
      refusal: () => refusal,
      track: () => {},
    }
  }

  return {
    async hold({ no, runId }) {
      const held = await holdProxyBytes(store, { checkNo: no, runId }, MAX_RENDER_BYTES)
      return held.kind === 'held' ? { bytes: held.bytes } : { reason: held.kind }
    },
    async release(check, holder) {
      const held = await findRelayHold(store, check, holder)
      if (held !== null) await settleProxyBytes(store, held, 0)
    },
    connect,
    close() {
      for (const client of clients) client.destroy()
    },
  }
}

/** Tells the runner how the proxy failed, in the form that its `openTunnel` reads. */
function causeHeaders(failure: ProxyFailure): string[] {
  if ('status' in failure) return [`${failure.status} Proxy`]
  return ['502 Bad Gateway', ...(isPlainCause(failure.cause) ? [`tidemark-failure: ${failure.cause}`] : [])]
}
