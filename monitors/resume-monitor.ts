import type { NotFound } from '../core/outcome.ts'
import type { MonitorKind } from '../schema/resource-kind.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import { startSchedule } from '../store/monitors/monitor-pause.ts'
import { monitorStatus } from '../store/monitors/monitor-record.ts'
import { auditedAs, type MonitorContext, type OneMonitor } from './context.ts'
import { type DoneMonitor, type Locked, type Managed, managedElsewhere, NO_MONITOR } from './outcome.ts'

export type ResumeOutcome<K extends MonitorKind = 'page'> = DoneMonitor<K> | NotFound | Locked | Managed

/** Resumes a monitor, with a run at once. An active monitor does not change, and no audit entry is written. */
export async function resumeMonitor<K extends MonitorKind = 'page'>(
  { store, wake }: Pick<MonitorContext, 'store' | 'wake'>,
  one: OneMonitor<K>,
): Promise<ResumeOutcome<K>> {
  const outcome = await store.transaction((tx) => resume(tx, one))
  if (outcome.kind === 'done') wake()
  return outcome
}

async function resume<K extends MonitorKind>(
  tx: Transaction,
  { teamId, actor, id, kind = 'page' as K }: OneMonitor<K>,
): Promise<ResumeOutcome<K>> {
  const stored = await lockMonitor(tx, teamId, id, kind)
  if (!stored) return NO_MONITOR
  if (stored.locked) return { kind: 'locked', act: 'resume' }
  // Without its resource, a suspended monitor is like a paused one.
  const managed = stored.suspended ? await managedElsewhere(tx, stored, 'resume') : null
  if (managed) return managed
  if (monitorStatus(stored) === 'active') return { kind: 'done', monitor: stored }
  const monitor = await startSchedule(tx, stored.no, kind)
  const target = { id: stored.id, label: stored.name }
  await recordAudit(tx, { teamId, actor, action: auditedAs(kind, 'resumed'), target })
  return { kind: 'done', monitor }
}
