import type { Logger } from '../../../core/logger.ts'
import { type EgressProxy, startEgressProxy } from '../../../egress/egress-proxy.ts'
import type { EgressPolicy } from '../../../egress/policy.ts'
import { type Resolver, systemResolver } from '../../../egress/resolve.ts'
import type { NO_PROXY } from '../../../schema/runner-api.ts'
import type { BodyRoom } from '../body-room.ts'
import { FETCH_DEADLINE_MS, FETCH_LIMITS } from '../fetch-limits.ts'
import type { Fetched, FetchFailed, FetchRequest } from '../fetched.ts'
import { fetchStatic } from '../static-fetch.ts'
import type { ProxyAddress } from './proxy-address.ts'
import { isGatewayStatus, proxyFault, proxyStatus, type ProxyFailure } from './proxy-failure.ts'
import { openProxyPath, type ProxyPath } from './proxy-path.ts'
import { createProxyRoute } from './proxy-route.ts'

/** Proxy bytes of a team that are reserved for one fetch. */
interface ProxyHold {
  readonly bytes: number
  /** Headers by which the proxy recognises the reservation, as a runner's relay does. */
  readonly headers?: Readonly<Record<string, string>>
  /** Books the used bytes and releases the rest. Never rejects. */
  settle(usedBytes: number): Promise<void>
}

/** Why a team may not use the proxy. */
export type NoHold = (typeof NO_PROXY)[number]

/** Reserves bytes for the team of the fetch; fewer where fewer are left. Never rejects. */
export type Hold = (bytes: number) => Promise<ProxyHold | NoHold>

export interface ProxyCall {
  /** The result of the layer before, in the words of its fault. */
  readonly refusal: string
  readonly hold: Hold
  /** An opaque key of the team that the fetch is for. */
  readonly team?: string | undefined
  readonly signal: AbortSignal
  /** Room for a large body. Absent: it needs none. */
  readonly room?: BodyRoom | undefined
  /** Milliseconds for all of it. Default 30,000. */
  readonly deadlineMs?: number
}

/** The last resort of a check: one fetch through the proxy of this installation. */
export interface ProxyLayer {
  /**
   * Fetches like `fetchStatic`, including redirects and the egress guard. Returns why it was not tried otherwise. Never
   * rejects.
   */
  fetch(request: FetchRequest, call: ProxyCall): Promise<Fetched | NoHold>
  /**
   * Lets a browser show a page whose connections all go through the proxy: `show` is given the egress proxy for it.
   * Returns why it was not tried otherwise.
   */
  render<T extends Fetched>(
    show: (egress: EgressProxy) => Promise<T>,
    call: Pick<ProxyCall, 'refusal' | 'hold'>,
  ): Promise<T | FetchFailed | NoHold>
}

interface ProxyLayerOptions {
  readonly proxy: ProxyAddress
  readonly policy: EgressPolicy
  /** Receives the failures of the proxy: they concern the operator more than the user. */
  readonly log: Pick<Logger, 'warn'>
  readonly resolver?: Resolver
  readonly ca?: string | readonly string[]
  readonly stepMs?: number
  /** See `createProxyRoute`. */
  readonly forwards?: boolean
}

/** A reservation covers the largest response. Unused bytes are released when the response has come. */
const MAX_BYTES = FETCH_LIMITS.maxWireBytes
/** The same for a page with all that it loads. */
export const MAX_RENDER_BYTES = 16 * 1024 * 1024

/** Creates the layer. It opens its own connections for every fetch, so that no team shares one with another. */
export function createProxyLayer({ log, resolver = systemResolver(), ...options }: ProxyLayerOptions): ProxyLayer {
  return {
    async fetch(request, { refusal, hold, signal, room, team = '', deadlineMs = FETCH_DEADLINE_MS }) {
      const reserved = await hold(MAX_BYTES)
      if (typeof reserved === 'string') return reserved
      const path = openProxyPath({ ...options, resolver, team })
      try {
        const limits = { ...FETCH_LIMITS, maxWireBytes: Math.min(MAX_BYTES, reserved.bytes) }
        const ports = { agent: path.agent, signal, deadlineMs, limits, room }
        const fetched = await fetchStatic({ ...request, refusedAs: 'proxy' }, ports)
        if (fetched.ok) return fetched
        const isShort = fetched.fault.code === 'too_large' && reserved.bytes < MAX_BYTES
        return withProxyFault(fetched, path.failure ?? gatewayFailure(fetched, path), { refusal, log, isShort })
      } finally {
        await path.close()
        await reserved.settle(path.bytes())
      }
    },
    async render(show, { refusal, hold }) {
      const reserved = await hold(MAX_RENDER_BYTES)
      if (typeof reserved === 'string') return reserved
      const route = createProxyRoute({ ...options, headers: reserved.headers, mostBytes: reserved.bytes })
      const egress = await startEgressProxy(options.policy, { resolver, detour: route })
      try {
        const shown = await show(egress)
        // A page whose connections were cut off is not the page, whatever the browser made of it.
        if (route.isCut) return cutOff(shown, reserved.bytes)
        if (shown.ok) return shown
        return withProxyFault(shown, shown.status === null ? route.failure : null, { refusal, log, isShort: false })
      } finally {
        route.close()
        await egress.close()
        await reserved.settle(route.bytes())
      }
    },
  }
}

function cutOff({ durationMs }: Fetched, bytes: number): FetchFailed {
  const message =
    bytes < MAX_RENDER_BYTES
      ? SHORT
      : `The page loads more than ${MAX_RENDER_BYTES / 1_048_576} MiB through the proxy. Watch a smaller page.`
  return { ok: false, fault: { code: 'too_large', message }, status: null, retryAfterMs: null, durationMs }
}

interface FaultContext {
  readonly refusal: string
  readonly log: Pick<Logger, 'warn'>
  /** The answer is larger than what is left to the team. */
  readonly isShort: boolean
}

/** Returns the failure with the fault of its cause: the proxy, the team's remaining bytes, or the site again. */
function withProxyFault(
  fetched: FetchFailed,
  failure: ProxyFailure | null,
  { refusal, log, isShort }: FaultContext,
): FetchFailed {
  if (failure !== null) {
    log.warn({ ...failure }, 'the proxy failed')
    return { ...fetched, fault: proxyFault(refusal, failure) }
  }
  const { code, message } = fetched.fault
  if (isShort) return { ...fetched, fault: { code, message: SHORT } }
  // An internal error is ours, and a stopped check is not recorded.
  if (code === 'internal') return fetched
  return { ...fetched, fault: { code, message: `Through the proxy too: ${message}`.slice(0, 1_000) } }
}

const SHORT =
  'The answer through the proxy is larger than what is left of proxyBytesPerMonth. Wait for the next period, or ' +
  'choose a larger plan.'

function gatewayFailure({ status }: FetchFailed, { isForwarded }: ProxyPath): ProxyFailure | null {
  return isForwarded && status !== null && isGatewayStatus(status) ? proxyStatus(status) : null
}
