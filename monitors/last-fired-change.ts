import type { ChangeContent } from '../core/example-change.ts'
import { listChanges } from '../core/payload.ts'
import { runIdTime } from '../core/run-id.ts'
import type { MonitorKind } from '../schema/resource-kind.ts'
import type { DeliveryPayload } from '../schema/run/delivery.ts'
import type { Queryable } from '../store/db/client.ts'
import { hasValues } from '../store/db/listed-bytes.ts'
import { listRunDeliveries } from '../store/deliveries/deliveries.ts'
import { listRuns } from '../store/runs/runs.ts'

/** A stored monitor of a team. */
interface Monitor {
  readonly teamId: string
  readonly monitorId: string
  readonly kind: MonitorKind
  readonly monitor: ChangeContent['monitor']
}

/** Of the newest runs with a difference, those that are looked at. */
const NEWEST = 5

/**
 * Returns the change that a monitor has told of last. Null: it has not for some time, or the change is too large for a
 * sample.
 */
export async function lastFiredChange(store: Queryable, about: Monitor): Promise<ChangeContent | null> {
  const { teamId, monitorId, kind, monitor } = about
  const runs = await listRuns(store, { teamId, monitorId, kind, isChanged: true, limit: NEWEST, offset: 0 })
  const run = runs.find(({ fired, delivery_triggered: isSent }) => fired === true || isSent)
  if (!run || !hasValues([run])) return null
  // Its messages have all of it: what the picture showed, what a text gained, which results a search had.
  const [message] = await listRunDeliveries(store, teamId, run.id)
  if (message && hasValues([message])) return contentOf(JSON.parse(message.payload) as StoredPayload)
  if (run.diff === null) return null
  const firedAtMs = runIdTime(run.id) + run.start_offset_ms + run.duration_ms
  return { monitorId, runId: run.id, firedAtMs, diff: run.diff, lists: listChanges(run.diff), monitor }
}

/** As `core/payload.ts` wrote it. */
type StoredPayload = DeliveryPayload & { readonly numeric_fields?: readonly string[] }

function contentOf(payload: StoredPayload): ChangeContent {
  const { monitor_id, run_id, fired_at, diff, monitor, lists, numeric_fields, text, visual, serp, serp_analysis } =
    payload
  return {
    monitorId: monitor_id,
    runId: run_id,
    firedAtMs: Date.parse(fired_at),
    diff,
    monitor,
    ...(lists && { lists }),
    ...(numeric_fields && { numericFields: numeric_fields }),
    ...(text && { text }),
    ...(visual && { visual }),
    ...(serp && { serp }),
    ...(serp_analysis && { serp_analysis }),
  }
}
