import type { NotFound } from '../core/outcome.ts'
import type { EverySpec } from '../schema/monitor/every-spec.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import type { EveryRow } from '../store/monitors/kinds/monitor-row.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import { stopSchedule } from '../store/monitors/monitor-pause.ts'
import { auditedAs, type MonitorContext, type OneMonitor } from './context.ts'
import type { Kind } from './kinds/kind.ts'
import { type DoneMonitor, type Locked, NO_MONITOR } from './outcome.ts'

export type PauseOutcome<Row extends EveryRow = EveryRow> = DoneMonitor<Row> | NotFound | Locked

/** Pauses a monitor. A paused monitor does not change, and no audit entry is written. */
export async function pauseMonitor<Spec extends EverySpec, Row extends EveryRow>(
  { store }: Pick<MonitorContext, 'store'>,
  kind: Kind<Spec, Row>,
  { teamId, actor, id }: OneMonitor,
): Promise<PauseOutcome<Row>> {
  return store.transaction(async (tx): Promise<PauseOutcome<Row>> => {
    const stored = await lockMonitor(tx, teamId, id, kind.table)
    if (!stored) return NO_MONITOR
    if (stored.locked) return { kind: 'locked', act: 'pause' }
    if (stored.paused) return { kind: 'done', monitor: stored }
    const monitor = await stopSchedule(tx, stored.no, kind.table)
    const target = { id: stored.id, label: stored.name }
    await recordAudit(tx, { teamId, actor, action: auditedAs(kind, 'paused'), target })
    return { kind: 'done', monitor }
  })
}
