import { API_VERSION, type DeliveryPayload } from '../schema/run/delivery.ts'
import type { Diff } from '../schema/run/run.ts'

/** The block of a delivery that the visual layer fired, alone or beside the predicate. */
export interface VisualBlock {
  /** Changed-pixel area, in percent. */
  readonly change_pct: number
  readonly threshold_pct: number
}

/** What a delivery tells. */
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
  /** Given when the visual layer fired. */
  readonly visual?: VisualBlock
}

/**
 * The payload of a regular monitor. Keys stand in the order of the schema, `visual` last. The diff holds the changed
 * fields only.
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
