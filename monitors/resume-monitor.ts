import type { NotFound } from '../core/outcome.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import { startSchedule } from '../store/monitors/monitor-pause.ts'
import { monitorStatus } from '../store/monitors/monitor-record.ts'
import type { MonitorContext, OneMonitor } from './context.ts'
import { type DoneMonitor, type Locked, type Managed, managedElsewhere, NO_MONITOR } from './outcome.ts'

export type ResumeOutcome = DoneMonitor | NotFound | Locked | Managed

/** Resumes a monitor, with a run at once. An active monitor does not change, and no audit entry is written. */
export async function resumeMonitor(
  { store, wake }: Pick<MonitorContext, 'store' | 'wake'>,
  one: OneMonitor,
): Promise<ResumeOutcome> {
  const outcome = await store.transaction((tx) => resume(tx, one))
  if (outcome.kind === 'done') wake()
  return outcome
}

async function resume(tx: Transaction, { teamId, actor, id }: OneMonitor): Promise<ResumeOutcome> {
  const stored = await lockMonitor(tx, teamId, id)
  if (!stored) return NO_MONITOR
  if (stored.locked) return { kind: 'locked', act: 'resume' }
  // Without its resource, a suspended monitor is like a paused one.
  const managed = stored.suspended ? await managedElsewhere(tx, stored, 'resume') : null
  if (managed) return managed
  if (monitorStatus(stored) === 'active') return { kind: 'done', monitor: stored }
  const monitor = await startSchedule(tx, stored.no)
  await recordAudit(tx, { teamId, actor, action: 'monitor.resumed', target: { id: stored.id, label: stored.name } })
  return { kind: 'done', monitor }
}
