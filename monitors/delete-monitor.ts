import type { NotFound } from '../core/outcome.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { hideMonitor } from '../store/monitors/monitor-delete.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import { lockUsage } from '../store/quota/usage.ts'
import { type ChangedSince, changedSince } from './changed-since.ts'
import { auditedAs, type MonitorContext, type OneMonitor } from './context.ts'
import type { Kind } from './kinds/kind.ts'
import { type Managed, managedElsewhere, NO_MONITOR } from './outcome.ts'

interface Deletion extends OneMonitor {
  /** The entity tags of configurations that may be deleted (`configurationTag`). Undefined: any. */
  readonly seen?: readonly string[] | undefined
}

export type DeleteOutcome = { readonly kind: 'done' } | NotFound | Managed | ChangedSince

/**
 * Deletes a monitor, even a locked one. A run is read by its id then, and pending deliveries are completed. A queued
 * run that has not begun is given back.
 */
export async function deleteMonitor(
  { store, secrets }: Pick<MonitorContext, 'store' | 'secrets'>,
  kind: Kind,
  { teamId, actor, id, seen }: Deletion,
): Promise<DeleteOutcome> {
  return store.transaction(async (tx): Promise<DeleteOutcome> => {
    await lockUsage(tx, teamId)
    const stored = await lockMonitor(tx, teamId, id, kind.table)
    if (!stored) return NO_MONITOR
    const managed = await managedElsewhere(tx, stored)
    if (managed) return managed
    const changed = changedSince(kind, secrets, stored, { seen })
    if (changed) return changed
    await hideMonitor(tx, stored.no)
    const target = { id: stored.id, label: stored.name }
    await recordAudit(tx, { teamId, actor, action: auditedAs(kind, 'deleted'), target })
    return { kind: 'done' }
  })
}
