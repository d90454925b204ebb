import { pauseMonitor } from '../../../monitors/pause-monitor.ts'
import { Monitor } from '../../../schema/monitor/monitor.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
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
  async handle({ params, principal: { teamId }, actor, services }) {
    const { monitor } = doneOf(await pauseMonitor(services, { teamId, actor, id: params.id }))
    return ok(shownMonitor(monitor, services))
  },
})
