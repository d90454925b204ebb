import { Monitor } from '../../../schema/monitor/monitor.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import type { Transaction } from '../../../store/db/client.ts'
import { lockMonitor } from '../../../store/monitors/monitor-edit.ts'
import { pauseMonitor } from '../../../store/monitors/monitor-pause.ts'
import type { MonitorRow } from '../../../store/monitors/monitor-record.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { locked, noSuchMonitor } from './monitor-faults.ts'
import type { OneMonitor } from './one-monitor.ts'
import { shownMonitor } from '../shown.ts'

export const pauseMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/:id/pause',
  summary: 'Pause a monitor',
  description: 'A run that is under way or queued still happens.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  answers: { 200: { description: 'The monitor, paused.', schema: Monitor } },
  async handle({ params, principal, actor, services }) {
    const { teamId } = principal
    const monitor = await services.store.transaction((tx) => pauseOne(tx, { teamId, actor, id: params.id }))
    return ok(shownMonitor(monitor, services))
  },
})

/** Pauses a monitor and says so in the audit log. A paused one stays as it is. */
export async function pauseOne(tx: Transaction, { teamId, actor, id }: OneMonitor): Promise<MonitorRow> {
  const stored = await lockMonitor(tx, teamId, id)
  if (!stored) throw noSuchMonitor()
  if (stored.locked) throw locked('paused')
  if (stored.paused) return stored
  const paused = await pauseMonitor(tx, stored.no)
  await recordAudit(tx, { teamId, actor, action: 'monitor.paused', target: { id: stored.id, label: stored.name } })
  return paused
}
