import type { Logger } from '../../../core/logger.ts'
import type { EgressPolicy } from '../../../egress/policy.ts'
import { type Resolver, systemResolver } from '../../../egress/resolve.ts'
import { FETCH_DEADLINE_MS, FETCH_LIMITS } from '../fetch-limits.ts'
import type { Fetched, FetchFailed, FetchRequest } from '../fetched.ts'
import { fetchStatic } from '../static-fetch.ts'
import type { ProxyAddress } from './proxy-address.ts'
import { isGatewayStatus, proxyFault, proxyStatus, type ProxyFailure } from './proxy-failure.ts'
import { openProxyPath, type ProxyPath } from './proxy-path.ts'

/** Proxy bytes of a team that are reserved for one fetch. */
interface ProxyHold {
  readonly bytes: number
  /** Books the used bytes and releases the rest. Never rejects. */
  settle(usedBytes: number): Promise<void>
}

/** Why a team may not use the proxy. */
export type NoHold = 'off' | 'not_in_plan' | 'used_up'

/** Reserves bytes for the team of the fetch; fewer where fewer are left. Never rejects. */
export type Hold = (bytes: number) => Promise<ProxyHold | NoHold>

export interface ProxyCall {
  /** The result of the layer before, in the words of its fault. */
  readonly refusal: string
  readonly hold: Hold
  /** An opaque key of the team that the fetch is for. */
  readonly team?: string | undefined
  readonly signal: AbortSignal
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
}

interface ProxyLayerOptions {
  readonly proxy: ProxyAddress
  readonly policy: EgressPolicy
  /** Receives the failures of the proxy: they concern the operator more than the user. */
  readonly log: Pick<Logger, 'warn'>
  readonly resolver?: Resolver
  readonly ca?: string | readonly string[]
  readonly stepMs?: number
}

/** A reservation covers the largest response. Unused bytes are released when the response has come. */
const MOST_BYTES = FETCH_LIMITS.maxWireBytes

/** Creates the layer. It opens its own connections for every fetch, so that no team shares one with another. */
export function createProxyLayer({ log, resolver = systemResolver(), ...options }: ProxyLayerOptions): ProxyLayer {
  return {
    async fetch(request, { refusal, hold, signal, team = '', deadlineMs = FETCH_DEADLINE_MS }) {
      const reserved = await hold(MOST_BYTES)
      if (typeof reserved === 'string') return reserved
      const path = openProxyPath({ ...options, resolver, team })
      try {
        const limits = { ...FETCH_LIMITS, maxWireBytes: Math.min(MOST_BYTES, reserved.bytes) }
        const fetched = await fetchStatic(request, { agent: path.agent, signal, deadlineMs, limits })
        return fetched.ok ? fetched : withProxyFault(fetched, path, { refusal, log, reservedBytes: reserved.bytes })
      } finally {
        await path.close()
        await reserved.settle(path.bytes())
      }
    },
  }
}

interface FaultContext {
  readonly refusal: string
  readonly log: Pick<Logger, 'warn'>
  readonly reservedBytes: number
}

/** Returns the failure with the fault of its cause: the proxy, the team's remaining bytes, or the site again. */
function withProxyFault(
  fetched: FetchFailed,
  path: ProxyPath,
  { refusal, log, reservedBytes }: FaultContext,
): FetchFailed {
  const failure = path.failure ?? gatewayFailure(fetched, path)
  if (failure !== null) {
    log.warn({ ...failure }, 'the proxy failed')
    return { ...fetched, fault: proxyFault(refusal, failure) }
  }
  const { code, message } = fetched.fault
  if (code === 'too_large' && reservedBytes < MOST_BYTES)
    return {
      ...fetched,
      fault: {
        code,
        message: `The answer through the proxy is larger than what is left of proxyBytesPerMonth. ${WHAT_TO_DO}`,
      },
    }
  return { ...fetched, fault: { code, message: `Through the proxy too: ${message}`.slice(0, 1_000) } }
}

const WHAT_TO_DO = 'Wait for the next period, or choose a larger plan.'

function gatewayFailure({ status }: FetchFailed, { isForwarded }: ProxyPath): ProxyFailure | null {
  return isForwarded && status !== null && isGatewayStatus(status) ? proxyStatus(status) : null
}
