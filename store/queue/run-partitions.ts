import { sql } from 'slonik'
import type { Store } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/** Creates the partitions of `runs` for the current month and for the month three days ahead. Cheap when they exist. */
export async function ensureRunPartitions(store: Store): Promise<void> {
  await store.query(
    sql.type(nothing)`select ensure_run_partition(clock()), ensure_run_partition(clock() + interval '3 days')`,
  )
}

/**
 * Creates the partitions for the months of these runs. After a jump of the clock, a run may belong to a month that
 * maintenance has not prepared.
 */
export async function ensurePartitionsOf(store: Store, runIds: readonly string[]): Promise<void> {
  await store.query(sql.type(nothing)`
    select ensure_run_partition(month)
    from (
      select distinct date_trunc('month', run_id_time(id), 'UTC') as month
      from unnest(${sql.array([...runIds], 'uuid')}) as r (id)
      order by month
    ) months`)
}

/**
 * SQLSTATE of an insert for which no partition exists. A failed check constraint has the same SQLSTATE; creating
 * partitions does no harm then.
 */
export const NO_PARTITION = '23514'
