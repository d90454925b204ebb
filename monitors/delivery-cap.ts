import type { MonitorSpec } from '../schema/monitor/monitor.ts'
import type { Queryable } from '../store/db/client.ts'
import { findDeliveryCap } from '../store/quota/plan-limits.ts'
import type { OverCap } from './outcome.ts'

/** Returns the refusal of a monitor with more deliveries than the team's plan allows, or null. */
export async function overDeliveryCap(
  store: Queryable,
  teamId: string,
  { deliveries }: Pick<MonitorSpec, 'deliveries'>,
): Promise<OverCap | null> {
  const wanted = deliveries.length
  if (wanted === 0) return null
  const { tier, deliveries: cap } = await findDeliveryCap(store, teamId)
  return wanted <= cap ? null : { kind: 'over_cap', tier, cap, wanted }
}
