import type { NotFound } from '../core/outcome.ts'
import type { Requester } from '../schema/account/audit.ts'
import type { DeliveryStatus } from '../schema/run/delivery.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import type { Queryable, Transaction } from '../store/db/client.ts'
import { findDelivery } from '../store/deliveries/deliveries.ts'
import { replayDelivery, replayRunDeliveries } from '../store/deliveries/replay-deliveries.ts'
import { findRun } from '../store/runs/runs.ts'

interface ReplayContext {
  readonly store: Queryable
  /**
   * Wakes the workers of this process, because a run or delivery is due now. Called after the use case's own
   * transaction.
   */
  wake(): void
}

/** A delivery, or a run whose deliveries are to be sent again, and the requester. */
interface ReplayWanted extends Requester {
  readonly id: string
}

/** The number of deliveries that are due again, with all their attempts available. */
interface Replayed {
  readonly kind: 'done'
  readonly queued: number
}

/** The delivery was sent, or is still to be sent. */
export interface NotReplayable {
  readonly kind: 'not_replayable'
  readonly status: DeliveryStatus
}

/** Sends a failed or dead delivery again, with the same id and payload. */
export async function replayOne(
  { store, wake }: ReplayContext,
  wanted: ReplayWanted,
): Promise<Replayed | NotFound | NotReplayable> {
  const outcome = await store.transaction((tx) => replay(tx, wanted))
  if (outcome.kind === 'done') wake()
  return outcome
}

async function replay(
  tx: Transaction,
  { teamId, actor, id }: ReplayWanted,
): Promise<Replayed | NotFound | NotReplayable> {
  const found = await findDelivery(tx, teamId, id)
  if (!found) return { kind: 'not_found', what: 'delivery' }
  if (!(await replayDelivery(tx, teamId, id))) return { kind: 'not_replayable', status: found.status }
  const target = { id: found.id, label: found.monitor_name }
  const metadata = { run_id: found.run_id, previous_status: found.status }
  await recordAudit(tx, { teamId, actor, action: 'delivery.replayed', target, metadata })
  return { kind: 'done', queued: 1 }
}

/** Sends every failed or dead delivery of a run again, those that wait for their next attempt included. */
export async function replayRun({ store, wake }: ReplayContext, wanted: ReplayWanted): Promise<Replayed | NotFound> {
  const outcome = await store.transaction((tx) => replayOfRun(tx, wanted))
  if (outcome.kind === 'done' && outcome.queued > 0) wake()
  return outcome
}

async function replayOfRun(tx: Transaction, { teamId, actor, id }: ReplayWanted): Promise<Replayed | NotFound> {
  const run = await findRun(tx, teamId, id)
  if (!run) return { kind: 'not_found', what: 'run' }
  const replayed = await replayRunDeliveries(tx, teamId, id)
  for (const delivery of replayed) {
    const target = { id: delivery.id, label: run.monitor_name }
    await recordAudit(tx, { teamId, actor, action: 'delivery.replayed', target, metadata: { run_id: run.id } })
  }
  return { kind: 'done', queued: replayed.length }
}
