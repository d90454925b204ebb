import { sql } from 'slonik'
import type { Store } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/** Makes sure that the months of now and of three days ahead have their partitions of `runs`. Cheap when they have. */
export async function ensureRunPartitions(store: Store): Promise<void> {
  await store.query(
    sql.type(nothing)`select ensure_run_partition(clock()), ensure_run_partition(clock() + interval '3 days')`,
  )
}

/**
 * Makes sure that the months of these runs have their partitions: after a jump of the clock, a run may be of a month
 * that no upkeep has seen.
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
 * SQLSTATE of an insert that no partition takes. A check constraint has the same one; making sure of partitions does
 * no harm there.
 */
export const NO_PARTITION = '23514'
