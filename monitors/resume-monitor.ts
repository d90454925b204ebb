import type { NotFound } from '../core/outcome.ts'
import type { EverySpec } from '../schema/monitor/every-spec.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import type { EveryRow } from '../store/monitors/kinds/monitor-row.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import { startSchedule } from '../store/monitors/monitor-pause.ts'
import { monitorStatus } from '../store/monitors/monitor-status.ts'
import { auditedAs, type MonitorContext, type OneMonitor } from './context.ts'
import type { Kind } from './kinds/kind.ts'
import { type DoneMonitor, type Locked, type Managed, managedElsewhere, NO_MONITOR } from './outcome.ts'

export type ResumeOutcome<Row extends EveryRow = EveryRow> = DoneMonitor<Row> | NotFound | Locked | Managed

/** Resumes a monitor, with a run at once. An active monitor does not change, and no audit entry is written. */
export async function resumeMonitor<Spec extends EverySpec, Row extends EveryRow>(
  { store, wake }: Pick<MonitorContext, 'store' | 'wake'>,
  kind: Kind<Spec, Row>,
  one: OneMonitor,
): Promise<ResumeOutcome<Row>> {
  const outcome = await store.transaction((tx) => resume(tx, kind, one))
  if (outcome.kind === 'done') wake()
  return outcome
}

async function resume<Spec extends EverySpec, Row extends EveryRow>(
  tx: Transaction,
  kind: Kind<Spec, Row>,
  { teamId, actor, id }: OneMonitor,
): Promise<ResumeOutcome<Row>> {
  const stored = await lockMonitor(tx, teamId, id, kind.table)
  if (!stored) return NO_MONITOR
  if (stored.locked) return { kind: 'locked', act: 'resume' }
  // Without its resource, a suspended monitor is like a paused one.
  const managed = stored.suspended ? await managedElsewhere(tx, stored, 'resume') : null
  if (managed) return managed
  if (monitorStatus(kind.table.runs, stored) === 'active') return { kind: 'done', monitor: stored }
  const monitor = await startSchedule(tx, stored.no, kind.table)
  const target = { id: stored.id, label: stored.name }
  await recordAudit(tx, { teamId, actor, action: auditedAs(kind, 'resumed'), target })
  return { kind: 'done', monitor }
}
