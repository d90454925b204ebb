import { API_VERSION, type DeliveryPayload } from '../schema/run/delivery.ts'
import type { Diff } from '../schema/run/run.ts'

/** The block of a delivery that the visual comparison fired, alone or together with the predicate. */
export interface VisualBlock {
  /** The area of changed pixels, in percent. */
  readonly change_pct: number
  readonly threshold_pct: number
}

/** The content of a delivery. */
interface PayloadInput {
  /** The delivery's id. */
  readonly id: string
  readonly monitorId: string
  readonly runId: string
  /** When the predicate fired, in milliseconds since the epoch. */
  readonly firedAtMs: number
  /** Null: no field differs, as when only the picture did. */
  readonly diff: Diff | null
  readonly monitor: { readonly url: string; readonly name: string }
  /** Present when the visual comparison fired. */
  readonly visual?: VisualBlock
}

/**
 * Returns the payload of a regular monitor. Keys are in the order of the schema, `visual` last, so that `payloadText`
 * is the same on every attempt and replay. The diff contains the changed fields only.
 */
export function deliveryPayload(input: PayloadInput): DeliveryPayload & { readonly visual?: VisualBlock } {
  const { id, monitorId, runId, firedAtMs, diff, monitor, visual } = input
  return {
    id,
    version: API_VERSION,
    monitor_id: monitorId,
    run_id: runId,
    fired_at: new Date(firedAtMs).toISOString(),
    diff: diff
      ? { fields_changed: diff.fields_changed, before: diff.before, after: diff.after }
      : { fields_changed: [], before: {}, after: {} },
    monitor: { url: monitor.url, name: monitor.name },
    ...(visual && { visual: { change_pct: visual.change_pct, threshold_pct: visual.threshold_pct } }),
  }
}
