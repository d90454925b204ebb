import { Monitor } from '../../../schema/monitor.ts'
import { recordAudit } from '../../../store/audit.ts'
import { lockMonitor } from '../../../store/monitor-edit.ts'
import { resumeMonitor } from '../../../store/monitor-pause.ts'
import { toMonitor } from '../../../store/monitor-record.ts'
import { monitorStatus } from '../../../store/monitor-status.ts'
import { ok, route } from '../../route.ts'
import { ById } from '../by-id.ts'
import { locked, noSuchMonitor } from './monitor-faults.ts'

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
    const { store, secrets } = services
    const { teamId } = principal
    const monitor = await store.transaction(async (tx) => {
      const stored = await lockMonitor(tx, teamId, params.id)
      if (!stored) throw noSuchMonitor()
      if (stored.locked) throw locked('resumed')
      if (monitorStatus(stored) === 'active') return stored
      const resumed = await resumeMonitor(tx, stored.no)
      const target = { id: stored.id, label: stored.name }
      await recordAudit(tx, { teamId, actor, action: 'monitor.resumed', target })
      return resumed
    })
    services.poke()
    return ok(toMonitor(monitor, secrets))
  },
})
