import type { NotFound, OtherCount } from '../core/outcome.ts'
import type { Requester } from '../schema/account/audit.ts'
import { MAX_REPLAYED, REPLAY_BATCH } from '../schema/run/delivery-replay.ts'
import type { DeliveryStatus } from '../schema/run/delivery.ts'
import { recordAudits } from '../store/accounts/audit.ts'
import { COLLISION_RETRIES, type Store, type Transaction } from '../store/db/client.ts'
import type { DeliveryFilter } from '../store/deliveries/delivery-filter.ts'
import { statusesOf } from '../store/deliveries/held-deliveries.ts'
import { listReplayable, replayDeliveries } from '../store/deliveries/replay-deliveries.ts'
import type { NotReplayable } from './replay.ts'

interface ReplayContext {
  readonly store: Store
  /** Wakes the workers of this process, because deliveries are due now. */
  wake(): void
}

/** The deliveries that a filter leaves, and how many the requester has seen of them. */
interface FilterWanted extends Requester {
  readonly filter: Omit<DeliveryFilter, 'teamId'>
  readonly expected: number
}

/** How many were sent again, and how many were not failed or dead any more. */
interface Replayed {
  readonly kind: 'done'
  readonly queued: number
  readonly failed: number
}

/**
 * Sends every failed and dead delivery that a filter leaves again, the oldest first, in batches. A batch is one
 * transaction with its lines of the audit log. One that meets attempts in a deadlock is done again. After a crash the
 * same filter finds the others.
 */
export async function replayFiltered(
  { store, wake }: ReplayContext,
  { filter, expected, teamId, actor }: FilterWanted,
): Promise<Replayed | OtherCount> {
  const ids = await listReplayable(store, { ...filter, teamId }, MAX_REPLAYED + 1)
  if (ids.length !== expected)
    return {
      kind: 'other_count',
      what: 'failed or dead deliveries',
      expected,
      count: ids.length,
      most: MAX_REPLAYED,
    }
  let queued = 0
  for (let from = 0; from < ids.length; from += REPLAY_BATCH) {
    const batch = ids.slice(from, from + REPLAY_BATCH)
    queued += (await store.transaction((tx) => replayBatch(tx, { teamId, actor }, batch), COLLISION_RETRIES)).length
    wake()
  }
  return { kind: 'done', queued, failed: ids.length - queued }
}

interface OneReplayed {
  readonly id: string
  readonly outcome: { readonly kind: 'done' } | NotFound | NotReplayable
}

/** Sends deliveries again. Returns one result for each id, in the order in which they first appear. */
export async function replayListed(
  { store, wake }: ReplayContext,
  { ids, teamId, actor }: Requester & { readonly ids: readonly string[] },
): Promise<readonly OneReplayed[]> {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))]
  const { done, statuses } = await store.transaction(async (tx) => {
    const replayed = await replayBatch(tx, { teamId, actor }, wanted)
    return { done: new Set(replayed), statuses: await statusesOf(tx, teamId, wanted) }
  }, COLLISION_RETRIES)
  if (done.size > 0) wake()
  return wanted.map((id) => ({ id, outcome: outcomeOf(done.has(id), statuses.get(id)) }))
}

function outcomeOf(isDone: boolean, status: DeliveryStatus | undefined): OneReplayed['outcome'] {
  if (isDone) return { kind: 'done' }
  return status ? { kind: 'not_replayable', status } : { kind: 'not_found', what: 'delivery' }
}

/** Returns the ids of those that are sent again. */
async function replayBatch(
  tx: Transaction,
  { teamId, actor }: Requester,
  ids: readonly string[],
): Promise<readonly string[]> {
  const replayed = await replayDeliveries(tx, teamId, ids)
  await recordAudits(
    tx,
    replayed.map(({ id, run_id, monitor_name: label, previous_status }) => ({
      teamId,
      actor,
      action: 'delivery.replayed',
      target: { id, label },
      metadata: { run_id, previous_status },
    })),
  )
  return replayed.map(({ id }) => id)
}
