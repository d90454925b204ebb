import { editMonitor } from '../../../monitors/edit-monitor.ts'
import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { Monitor, MonitorPatch } from '../../../schema/monitor/monitor.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { shownMonitor } from '../shown.ts'

export const editMonitorRoute = route({
  method: 'PATCH',
  path: '/v1/monitors/:id',
  summary: 'Change a monitor',
  description:
    'Each key that is sent replaces the stored one whole; null clears what may be null. A change of url, ' +
    'extract_config, request_config, request_headers, fetch_mode or visual_config makes the next run a silent ' +
    'baseline.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  body: MonitorPatch,
  bodyOptional: true,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 200: { description: 'The monitor.', schema: Monitor } },
  async handle({ params, body, principal: { teamId }, actor, services }) {
    const { monitor } = doneOf(await editMonitor(services, { teamId, actor, id: params.id, patch: body }))
    return ok(shownMonitor(monitor, services))
  },
})
