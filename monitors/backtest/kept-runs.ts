import { runIdTime } from '../../core/run-id.ts'
import type { Backtest } from '../../schema/monitor/backtest.ts'
import type { Queryable } from '../../store/db/client.ts'
import { findKept, type NewestQuery } from '../../store/monitors/newest-runs.ts'

/** Returns when a run began. */
export const startOf = ({ id, start_offset_ms: offset }: { readonly id: string; readonly start_offset_ms: number }) =>
  new Date(runIdTime(id) + offset).toISOString()

/** Returns from when on a backtest looks at runs, and when the oldest one that is kept began. */
export async function keptRuns(
  store: Queryable,
  query: Pick<NewestQuery, 'teamId' | 'monitorNo' | 'days'>,
): Promise<Pick<Backtest, 'from' | 'oldest_run_at'>> {
  const { from_at: from, oldest_id: id, oldest_offset_ms: offset } = await findKept(store, query)
  return { from, oldest_run_at: id === null ? null : startOf({ id, start_offset_ms: offset ?? 0 }) }
}
