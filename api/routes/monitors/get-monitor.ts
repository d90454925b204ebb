import { Monitor } from '../../../schema/monitor/monitor.ts'
import { findMonitor } from '../../../store/monitors/monitors.ts'
import { noSuch } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { shownMonitor } from '../shown.ts'

export const getMonitorRoute = route({
  method: 'GET',
  path: '/v1/monitors/:id',
  summary: 'Read a monitor',
  description: 'Without its signing secret.',
  tag: 'Monitors',
  policy: 'monitors.read',
  params: ById,
  answers: { 200: { description: 'The monitor.', schema: Monitor } },
  async handle({ params, principal, services }) {
    const stored = await findMonitor(services.store, principal.teamId, params.id)
    if (!stored) throw noSuch('monitor')
    return ok(shownMonitor(stored, services))
  },
})
