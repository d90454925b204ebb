import { resumeMonitor } from '../../../monitors/resume-monitor.ts'
import { Monitor } from '../../../schema/monitor/monitor.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
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
  async handle({ params, principal: { teamId }, actor, services }) {
    const { monitor } = doneOf(await resumeMonitor(services, { teamId, actor, id: params.id }))
    return ok(shownMonitor(monitor, services))
  },
})
