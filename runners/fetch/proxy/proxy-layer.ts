import type { Logger } from '../../../core/logger.ts'
import type { EgressPolicy } from '../../../egress/policy.ts'
import { createResolver, type Resolver } from '../../../egress/resolve.ts'
import { FETCH_DEADLINE_MS, FETCH_LIMITS } from '../fetch-limits.ts'
import type { Fetched, FetchFailed, FetchRequest } from '../fetched.ts'
import { fetchStatic } from '../static-fetch.ts'
import type { ProxyAddress } from './proxy-address.ts'
import { isGatewayStatus, proxyFault, proxyStatus, type ProxyFailure } from './proxy-failure.ts'
import { openProxyPath, type ProxyPath } from './proxy-path.ts'

/** Bytes that a team has put aside for one fetch. */
export interface ProxyHold {
  readonly bytes: number
  /** Books what was used and lets go of the rest. Never rejects. */
  settle(usedBytes: number): Promise<void>
}

/** Why a team has no way through the proxy. */
export type NoHold = 'off' | 'not_in_plan' | 'used_up'

/** Puts bytes aside for whoever the fetch is for, fewer where fewer are left. Never rejects. */
export type Hold = (bytes: number) => Promise<ProxyHold | NoHold>

export interface ProxyCall {
  /** What the layer before answered, in the words of its fault. */
  readonly refusal: string
  readonly hold: Hold
  readonly signal: AbortSignal
  /** Milliseconds for all of it. Default 30,000. */
  readonly deadlineMs?: number
}

/** The last resort of a check: one fetch through the proxy of this installation. */
export interface ProxyLayer {
  /** As `fetchStatic`, redirects and walls included; or why it was not tried. Never rejects. */
  fetch(request: FetchRequest, call: ProxyCall): Promise<Fetched | NoHold>
}

export interface ProxyLayerOptions {
  readonly proxy: ProxyAddress
  readonly policy: EgressPolicy
  /** Told how the proxy fails: what concerns the operator more than the user. */
  readonly log: Pick<Logger, 'warn'>
  readonly resolver?: Resolver
  readonly ca?: string | readonly string[]
  readonly stepMs?: number
}

/** A hold is for as much as one answer may weigh: what is not used is given back when it has come. */
const MOST_BYTES = FETCH_LIMITS.maxWireBytes

/** Makes the layer; it opens connections of its own for every fetch, so that no team shares one with another. */
export function createProxyLayer({ log, resolver = createResolver(), ...options }: ProxyLayerOptions): ProxyLayer {
  return {
    async fetch(request, { refusal, hold, signal, deadlineMs = FETCH_DEADLINE_MS }) {
      const held = await hold(MOST_BYTES)
      if (typeof held === 'string') return held
      const path = openProxyPath({ ...options, resolver })
      try {
        const limits = { ...FETCH_LIMITS, maxWireBytes: Math.min(MOST_BYTES, held.bytes) }
        const fetched = await fetchStatic(request, { agent: path.agent, signal, deadlineMs, limits })
        return fetched.ok ? fetched : explained(fetched, path, { refusal, log, heldBytes: held.bytes })
      } finally {
        await path.close()
        await held.settle(path.bytes())
      }
    },
  }
}

interface Explaining {
  readonly refusal: string
  readonly log: Pick<Logger, 'warn'>
  readonly heldBytes: number
}

/** Whose fault it was: the proxy's, the allowance's, or the site's again. */
function explained(fetched: FetchFailed, path: ProxyPath, { refusal, log, heldBytes }: Explaining): FetchFailed {
  const failure = path.failure ?? ownAnswer(fetched, path)
  if (failure !== null) {
    log.warn({ ...failure }, 'the proxy failed')
    return { ...fetched, fault: proxyFault(refusal, failure) }
  }
  const { code, message } = fetched.fault
  if (code === 'too_large' && heldBytes < MOST_BYTES)
    return {
      ...fetched,
      fault: { code, message: `Through the proxy came more than is left of the plan's proxyBytesPerMonth. ${WHEN}` },
    }
  return { ...fetched, fault: { code, message: `Through the proxy too: ${message}`.slice(0, 1_000) } }
}

const WHEN = 'Wait for the next period, or choose a larger plan.'

function ownAnswer({ status }: FetchFailed, { isForwarded }: ProxyPath): ProxyFailure | null {
  return isForwarded && status !== null && isGatewayStatus(status) ? proxyStatus(status) : null
}
