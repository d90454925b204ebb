import type { FetchMethod, FetchReason } from '../../schema/run/run.ts'
import type { Fetched, FetchFailed, FetchRequest } from '../fetch/fetched.ts'
import type { Hold, NoHold, ProxyLayer } from '../fetch/proxy/proxy-layer.ts'
import type { PageTask } from './task.ts'

/** The proxy, for a process whose checks may use it. */
export interface ProxyPort {
  readonly layer: ProxyLayer
  /** Returns the reservation function of the task's team. */
  holdFor(task: Pick<PageTask, 'no'>): Hold
}

/** A result and the layer that gave it. */
export interface Layered {
  readonly method: FetchMethod
  /** Why it is not the first layer; null: it is. */
  readonly reason: FetchReason | null
  readonly fetched: Fetched
}

/** A refused fetch and its layer. */
interface Refused {
  readonly layer: FetchMethod
  readonly reason: FetchReason | null
  readonly fetched: FetchFailed
  /** The request that the layer was given. */
  readonly request: FetchRequest
}

/** Milliseconds for the proxy. Together with the refusal before it, a preview must still answer within 60 s. */
const PROXY_DEADLINE_MS = 25_000

/**
 * Tries the proxy for a refused check. Where the team may not use it the refusal stays, with a hint where that helps.
 */
export async function byProxy(
  task: PageTask,
  refused: Refused,
  port: ProxyPort,
  signal: AbortSignal,
): Promise<Layered> {
  const { layer, reason, fetched, request } = refused
  const { message } = fetched.fault
  const call = { refusal: message, hold: port.holdFor(task), team: task.teamKey, signal, deadlineMs: PROXY_DEADLINE_MS }
  const answer = await port.layer.fetch(request, call)
  if (typeof answer !== 'string')
    return { method: 'proxy', reason: 'refused', fetched: answer.ok ? answer : withRetryAfter(answer, fetched) }
  const fault = { ...fetched.fault, message: message + HINTS[answer] }
  return { method: layer, reason, fetched: { ...fetched, fault } }
}

/** Keeps the site's Retry-After, whatever the result of the proxy. */
function withRetryAfter(failed: FetchFailed, { retryAfterMs }: FetchFailed): FetchFailed {
  return { ...failed, retryAfterMs: Math.max(failed.retryAfterMs ?? 0, retryAfterMs ?? 0) }
}

const HINTS: Readonly<Record<NoHold, string>> = {
  off: ' A team can have such checks tried through a proxy (proxy_enabled in the settings).',
  not_in_plan: '',
  used_up: " The plan's proxyBytesPerMonth is used up, so the proxy was not tried.",
}
