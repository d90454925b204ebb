import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Transaction } from './client.ts'
import { row } from './row.ts'

const epochRow = row({ epoch: Type.Integer() })

/** Thrown when an operator that is not the leader any more still writes. */
export class NotLeaderError extends Error {
  override readonly name = 'NotLeaderError'
}

/** Begins the epoch of a new leader of a cluster, and returns it. Writes of earlier epochs are refused from now on. */
export async function beginEpoch(store: Queryable, clusterId: string): Promise<number> {
  const { epoch } = await store.one(sql.type(epochRow)`
    insert into operator_epochs (cluster_id, epoch) values (${clusterId}, 1)
    on conflict (cluster_id) do update set epoch = operator_epochs.epoch + 1
    returning epoch
  `)
  return epoch
}

/**
 * Returns the store for one epoch: each transaction begins with a look at the epoch, and so do the use cases that are
 * given it.
 */
export const fencedStore = (store: Queryable, clusterId: string, epoch: number): Queryable => ({
  ...store,
  transaction: (work, ...rest) =>
    store.transaction(
      async (tx) => {
        await requireEpoch(tx, clusterId, epoch)
        return work(tx)
      },
      ...rest,
    ),
})

/**
 * Throws a `NotLeaderError` when another leader has begun since. The row stays locked for reading until the end of the
 * transaction, so that an epoch does not begin between this look and the write.
 */
async function requireEpoch(tx: Transaction, clusterId: string, epoch: number): Promise<void> {
  const found = await tx.maybeOne(sql.type(epochRow)`
    select epoch from operator_epochs where cluster_id = ${clusterId} and epoch = ${epoch} for share
  `)
  if (!found) throw new NotLeaderError('another operator is the leader of this cluster')
}
