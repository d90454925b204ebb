import type { RunFaultCode } from '../../schema/run/run-fault.ts'
import type { FetchMethod } from '../../schema/run/run.ts'

/** How a layer failed to get a page. */
interface LayerFailure {
  readonly layer: FetchMethod
  readonly code: RunFaultCode
  /** The status of the response, or null. */
  readonly status: number | null
  /** How long the site asked to wait (Retry-After); 0 or null: it did not. */
  readonly retryAfterMs: number | null
}

/** The layers that are available. */
interface LayersAtHand {
  /** The monitor has a request_config: only a direct request can carry a method and a body. */
  readonly isDirect: boolean
  readonly hasBrowser: boolean
  readonly hasProxy: boolean
}

/**
 * Returns the layer to try after a refused one, or null when none is left or none would help. A refusal is 403, 429 or
 * a challenge page. A 401 needs credentials, so no layer helps. A site that sent Retry-After is asked again at that
 * time, not at once by other means.
 */
export function nextLayer(failure: LayerFailure, at: LayersAtHand): FetchMethod | null {
  const { layer, code, status, retryAfterMs } = failure
  if (at.isDirect || code !== 'blocked' || status === 401 || (retryAfterMs ?? 0) > 0) return null
  if (layer === 'static' && at.hasBrowser) return 'browser'
  return layer !== 'proxy' && at.hasProxy ? 'proxy' : null
}
