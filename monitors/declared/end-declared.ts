import { type Requester, SYSTEM } from '../../schema/account/audit.ts'
import { type AuditEntry, recordAudit } from '../../store/accounts/audit.ts'
import type { Transaction } from '../../store/db/client.ts'
import { beginEpoch } from '../../store/db/operator-epoch.ts'
import { hideMonitor } from '../../store/monitors/monitor-delete.ts'
import {
  declaredRecords,
  findDeclared,
  lockDeclared,
  releaseDeclared,
  type ResourceIdentity,
} from '../../store/monitors/monitor-resource.ts'
import { lockUsage } from '../../store/quota/usage.ts'
import { auditedAs, type MonitorContext } from '../context.ts'
import { kindCalled } from '../kinds/kinds.ts'
import { origin } from './declaration.ts'

/** The end of a resource. */
interface ResourceEnd extends Pick<Requester, 'actor'> {
  readonly resource: ResourceIdentity
}

/** Deletes the record that a resource declares, because the resource was deleted. Without a record, nothing happens. */
export const deleteDeclared = (context: Pick<MonitorContext, 'store'>, end: ResourceEnd): Promise<void> =>
  endDeclared(context, end, { act: hideMonitor, what: 'deleted' })

/**
 * Gives the record that a resource declares back to the API: the resource vanished without having been deleted. The
 * monitor goes on.
 */
export const releaseResource = (context: Pick<MonitorContext, 'store'>, end: ResourceEnd): Promise<void> =>
  endDeclared(context, end, {
    act: releaseDeclared,
    what: 'updated',
    metadata: { changed: ['managed_by'] },
  })

/**
 * Gives all records that resources of a cluster declare back to the API, because the cluster is gone. Returns how many
 * there were. An operator that still leads there can write nothing more, starts anew, and takes them over again.
 */
export async function releaseCluster(context: Pick<MonitorContext, 'store'>, clusterId: string): Promise<number> {
  const records = await declaredRecords(context.store, clusterId)
  if (records.length > 0) await beginEpoch(context.store, clusterId)
  for (const { kind, namespace, name } of records)
    await releaseResource(context, { actor: SYSTEM, resource: { clusterId, kind, namespace, name } })
  return records.length
}

interface Ending extends Pick<AuditEntry, 'metadata'> {
  readonly what: 'updated' | 'deleted'
  readonly act: (tx: Transaction, no: number) => Promise<void>
}

async function endDeclared(
  { store }: Pick<MonitorContext, 'store'>,
  { actor, resource }: ResourceEnd,
  { act, what, metadata }: Ending,
): Promise<void> {
  await store.transaction(async (tx) => {
    const found = await findDeclared(tx, resource)
    if (!found) return
    // Before the monitor: a run that is queued is given back.
    if (what === 'deleted') await lockUsage(tx, found.team_id)
    const [declared] = await lockDeclared(tx, [resource])
    if (!declared || declared.is_released) return
    await act(tx, declared.no)
    const target = { id: declared.monitor_id, label: null }
    const { team_id: teamId } = declared
    const action = auditedAs(kindCalled(resource.kind), what)
    await recordAudit(tx, { teamId, actor, action, target, metadata: { ...origin(resource), ...metadata } })
  })
}
