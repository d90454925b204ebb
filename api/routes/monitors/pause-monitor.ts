import { Monitor } from '../../../schema/monitor.ts'
import { recordAudit } from '../../../store/audit.ts'
import { lockMonitor } from '../../../store/monitor-edit.ts'
import { pauseMonitor } from '../../../store/monitor-pause.ts'
import { toMonitor } from '../../../store/monitor-record.ts'
import { ok, route } from '../../route.ts'
import { ById } from '../by-id.ts'
import { locked, noSuchMonitor } from './monitor-faults.ts'

export const pauseMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/:id/pause',
  summary: 'Pause a monitor',
  description: 'A run that is under way or queued still happens.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  answers: { 200: { description: 'The monitor, paused.', schema: Monitor } },
  async handle({ params, principal, actor, services: { store, secrets } }) {
    const { teamId } = principal
    const monitor = await store.transaction(async (tx) => {
      const stored = await lockMonitor(tx, teamId, params.id)
      if (!stored) throw noSuchMonitor()
      if (stored.locked) throw locked('paused')
      if (stored.paused) return stored
      const paused = await pauseMonitor(tx, stored.no)
      const target = { id: stored.id, label: stored.name }
      await recordAudit(tx, { teamId, actor, action: 'monitor.paused', target })
      return paused
    })
    return ok(toMonitor(monitor, secrets))
  },
})
