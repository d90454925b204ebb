import { sql } from 'slonik'
import type { Store } from './client.ts'
import { nothing } from './row.ts'

/** Makes sure that the months of now and of three days ahead have their partitions of `runs`. Cheap when they have. */
export async function ensureRunPartitions(store: Store): Promise<void> {
  await store.query(
    sql.type(nothing)`select ensure_run_partition(clock()), ensure_run_partition(clock() + interval '3 days')`,
  )
}

/** SQLSTATE of an insert that no partition takes: the clock moved into a month that has none yet. */
export const NO_PARTITION = '23514'
