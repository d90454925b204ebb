import { createMonitor } from '../../../monitors/create-monitor.ts'
import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { Monitor, MonitorCreate, type MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { created, route } from '../../http/route.ts'
import { shownMonitor } from '../shown.ts'

export const createMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors',
  summary: 'Create a monitor',
  description: 'Its first run is at once, and is a silent baseline.',
  tag: 'Monitors',
  policy: 'monitors.write',
  body: MonitorCreate,
  defaults: true,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 201: { description: 'The monitor.', schema: Monitor } },
  async handle({ body, principal: { teamId, userId }, actor, services }) {
    // The frame has filled in every default: the body is whole.
    const creation = { teamId, actor, userId, spec: body as MonitorSpec }
    const { monitor } = doneOf(await createMonitor(services, creation))
    return created(shownMonitor(monitor, services))
  },
})
