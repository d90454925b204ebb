import type { Delivery } from '../../schema/run/delivery.ts'
import type { Run } from '../../schema/run/run.ts'
import { pathOf } from './records.ts'
import type { RemoteClient } from './remote-client.ts'
import type { RemoteRecord } from './remote-kinds.ts'

/** What the record of a monitor does not say. */
export interface MonitorFacts {
  /** What the last run that failed says. Null: the last check was a success, or there was none. */
  readonly error: string | null
  /** The messages of its newest delivery, one for each destination. */
  readonly messages: readonly Delivery[]
}

/** Runs in progress come before the last one that has ended: one that is under way, and one that waits. */
const WITH_ONE_ENDED = 3

/** Asks for what the record of a monitor does not say. */
export async function factsOf(client: RemoteClient, found: RemoteRecord): Promise<MonitorFacts> {
  const { consecutive_failures: failures, deliveries, id } = found.record
  const runs =
    failures === 0 ? [] : await Array.fromAsync(client.list<Run>(`${pathOf(found)}/runs`, {}, WITH_ONE_ENDED))
  const failed = runs.find(({ status }) => status === 'error')
  const newest =
    deliveries.length === 0
      ? []
      : await Array.fromAsync(client.list<Delivery>('/v1/deliveries', { monitor_id: id }, deliveries.length))
  return {
    error: failed ? (failed.error_message ?? failed.error_code ?? 'failed') : null,
    messages: newest.filter(({ run_id: run }) => run === newest[0]?.run_id),
  }
}

/** Returns the deliveries of runs of one monitor, by the run. Only where one of the runs made any. */
export async function deliveriesOf(
  client: RemoteClient,
  { record: { id } }: RemoteRecord,
  runs: readonly Run[],
): Promise<ReadonlyMap<string, readonly Delivery[]>> {
  const oldest = runs.findLast(({ delivery_triggered: fired }) => fired)
  const found: Delivery[] = []
  if (oldest)
    for await (const delivery of client.list<Delivery>('/v1/deliveries', { monitor_id: id })) {
      // The newest come first, and those of a run are made when it has ended.
      if (Date.parse(delivery.created_at) < Date.parse(oldest.started_at)) break
      found.push(delivery)
    }
  return Map.groupBy(found, ({ run_id: run }) => run)
}
