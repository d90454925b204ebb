import { Monitor } from '../../../schema/monitor.ts'
import { toMonitor } from '../../../store/monitor-record.ts'
import { findMonitor } from '../../../store/monitors.ts'
import { ok, route } from '../../route.ts'
import { ById } from '../by-id.ts'
import { noSuchMonitor } from './monitor-faults.ts'

export const getMonitorRoute = route({
  method: 'GET',
  path: '/v1/monitors/:id',
  summary: 'Read a monitor',
  description: 'Without its signing secret.',
  tag: 'Monitors',
  policy: 'monitors.read',
  params: ById,
  answers: { 200: { description: 'The monitor.', schema: Monitor } },
  async handle({ params, principal, services: { store, secrets } }) {
    const stored = await findMonitor(store, principal.teamId, params.id)
    if (!stored) throw noSuchMonitor()
    return ok(toMonitor(stored, secrets))
  },
})
