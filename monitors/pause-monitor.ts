import type { NotFound } from '../core/outcome.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import { stopSchedule } from '../store/monitors/monitor-pause.ts'
import type { MonitorContext, OneMonitor } from './context.ts'
import { type DoneMonitor, type Locked, NO_MONITOR } from './outcome.ts'

export type PauseOutcome = DoneMonitor | NotFound | Locked

/** Pauses a monitor. A paused monitor does not change, and no audit entry is written. */
export async function pauseMonitor(
  { store }: Pick<MonitorContext, 'store'>,
  { teamId, actor, id }: OneMonitor,
): Promise<PauseOutcome> {
  return store.transaction(async (tx): Promise<PauseOutcome> => {
    const stored = await lockMonitor(tx, teamId, id)
    if (!stored) return NO_MONITOR
    if (stored.locked) return { kind: 'locked', act: 'pause' }
    if (stored.paused) return { kind: 'done', monitor: stored }
    const monitor = await stopSchedule(tx, stored.no)
    await recordAudit(tx, { teamId, actor, action: 'monitor.paused', target: { id: stored.id, label: stored.name } })
    return { kind: 'done', monitor }
  })
}
