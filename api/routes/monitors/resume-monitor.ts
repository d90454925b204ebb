import { Monitor } from '../../../schema/monitor/monitor.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import type { Transaction } from '../../../store/db/client.ts'
import { lockMonitor } from '../../../store/monitors/monitor-edit.ts'
import { resumeMonitor } from '../../../store/monitors/monitor-pause.ts'
import type { MonitorRow } from '../../../store/monitors/monitor-record.ts'
import { monitorStatus } from '../../../store/monitors/monitor-status.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { locked, noSuchMonitor } from './monitor-faults.ts'
import type { OneMonitor } from './one-monitor.ts'
import { shownMonitor } from '../shown.ts'

export const resumeMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/:id/resume',
  summary: 'Resume a monitor',
  description: 'It becomes active, and a run is due at once. An active one stays as it is.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  answers: { 200: { description: 'The monitor, active.', schema: Monitor } },
  async handle({ params, principal, actor, services }) {
    const { teamId } = principal
    const monitor = await services.store.transaction((tx) => resumeOne(tx, { teamId, actor, id: params.id }))
    services.poke()
    return ok(shownMonitor(monitor, services))
  },
})

/** Resumes a monitor and says so in the audit log. An active one stays as it is. */
export async function resumeOne(tx: Transaction, { teamId, actor, id }: OneMonitor): Promise<MonitorRow> {
  const stored = await lockMonitor(tx, teamId, id)
  if (!stored) throw noSuchMonitor()
  if (stored.locked) throw locked('resumed')
  if (monitorStatus(stored) === 'active') return stored
  const resumed = await resumeMonitor(tx, stored.no)
  await recordAudit(tx, { teamId, actor, action: 'monitor.resumed', target: { id: stored.id, label: stored.name } })
  return resumed
}
