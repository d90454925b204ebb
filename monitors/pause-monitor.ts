import type { NotFound } from '../core/outcome.ts'
import type { MonitorKind } from '../schema/resource-kind.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import { stopSchedule } from '../store/monitors/monitor-pause.ts'
import { auditedAs, type MonitorContext, type OneMonitor } from './context.ts'
import { type DoneMonitor, type Locked, NO_MONITOR } from './outcome.ts'

export type PauseOutcome<K extends MonitorKind = 'page'> = DoneMonitor<K> | NotFound | Locked

/** Pauses a monitor. A paused monitor does not change, and no audit entry is written. */
export async function pauseMonitor<K extends MonitorKind = 'page'>(
  { store }: Pick<MonitorContext, 'store'>,
  { teamId, actor, id, kind = 'page' as K }: OneMonitor<K>,
): Promise<PauseOutcome<K>> {
  return store.transaction(async (tx): Promise<PauseOutcome<K>> => {
    const stored = await lockMonitor(tx, teamId, id, kind)
    if (!stored) return NO_MONITOR
    if (stored.locked) return { kind: 'locked', act: 'pause' }
    if (stored.paused) return { kind: 'done', monitor: stored }
    const monitor = await stopSchedule(tx, stored.no, kind)
    const target = { id: stored.id, label: stored.name }
    await recordAudit(tx, { teamId, actor, action: auditedAs(kind, 'paused'), target })
    return { kind: 'done', monitor }
  })
}
