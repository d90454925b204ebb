import type { FetchMethod } from '../../schema/run/run.ts'
import type { RunFaultCode } from '../../schema/run/run-fault.ts'

/** How a layer ended without a page. */
export interface LayerFailure {
  readonly layer: FetchMethod
  readonly code: RunFaultCode
  /** The status that was answered, or null. */
  readonly status: number | null
  /** How long the site asked to be left alone (Retry-After); 0 or null: it did not. */
  readonly retryAfterMs: number | null
}

/** What there is besides. */
export interface LayersAtHand {
  /** The monitor has a request_config: only a direct request can carry a method and body. */
  readonly isDirect: boolean
  readonly hasBrowser: boolean
  readonly hasProxy: boolean
}

/**
 * The layer that is tried after one was refused, or null when there is none left or
 * none would help. A refusal is 403, 429 or a challenge page; who is asked for credentials (401) needs credentials,
 * and who names a time is asked again at that time, not at once by other means.
 */
export function nextLayer(failure: LayerFailure, at: LayersAtHand): FetchMethod | null {
  const { layer, code, status, retryAfterMs } = failure
  if (at.isDirect || code !== 'blocked' || status === 401 || (retryAfterMs ?? 0) > 0) return null
  if (layer === 'static' && at.hasBrowser) return 'browser'
  return layer !== 'proxy' && at.hasProxy ? 'proxy' : null
}
