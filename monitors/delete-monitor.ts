import type { NotFound } from '../core/outcome.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { hideMonitor } from '../store/monitors/monitor-delete.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import { lockUsage } from '../store/quota/usage.ts'
import { auditedAs, type MonitorContext, type OneMonitor } from './context.ts'
import type { Kind } from './kinds/kind.ts'
import { type Managed, managedElsewhere, NO_MONITOR } from './outcome.ts'

export type DeleteOutcome = { readonly kind: 'done' } | NotFound | Managed

/**
 * Deletes a monitor, even a locked one. A run is read by its id then, and pending deliveries are completed. A queued
 * run that has not begun is given back.
 */
export async function deleteMonitor(
  { store }: Pick<MonitorContext, 'store'>,
  kind: Kind,
  { teamId, actor, id }: OneMonitor,
): Promise<DeleteOutcome> {
  return store.transaction(async (tx): Promise<DeleteOutcome> => {
    await lockUsage(tx, teamId)
    const stored = await lockMonitor(tx, teamId, id, kind.table)
    if (!stored) return NO_MONITOR
    const managed = await managedElsewhere(tx, stored)
    if (managed) return managed
    await hideMonitor(tx, stored.no)
    const target = { id: stored.id, label: stored.name }
    await recordAudit(tx, { teamId, actor, action: auditedAs(kind, 'deleted'), target })
    return { kind: 'done' }
  })
}
