import type { NotFound } from '../core/outcome.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { hideMonitor } from '../store/monitors/monitor-delete.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import type { MonitorContext, OneMonitor } from './context.ts'
import { type Managed, managedElsewhere, NO_MONITOR } from './outcome.ts'

export type DeleteOutcome = { readonly kind: 'done' } | NotFound | Managed

/** Deletes a monitor, even a locked one. Its runs stay readable, and pending deliveries are completed. */
export async function deleteMonitor(
  { store }: Pick<MonitorContext, 'store'>,
  { teamId, actor, id }: OneMonitor,
): Promise<DeleteOutcome> {
  return store.transaction(async (tx): Promise<DeleteOutcome> => {
    const stored = await lockMonitor(tx, teamId, id)
    if (!stored) return NO_MONITOR
    const managed = await managedElsewhere(tx, stored)
    if (managed) return managed
    await hideMonitor(tx, stored.no)
    await recordAudit(tx, { teamId, actor, action: 'monitor.deleted', target: { id: stored.id, label: stored.name } })
    return { kind: 'done' }
  })
}
