import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { previewMonitor } from '../../../monitors/preview-monitor.ts'
import { MonitorCreate, type MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { Preview } from '../../../schema/monitor/preview.ts'
import { doneOf, later } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'

export const previewMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/preview',
  summary: 'Try a monitor without creating it',
  description:
    'Fetches and extracts now, as a run would, and answers what it found. Nothing is stored and nothing is ' +
    'delivered; one run is used. A check that fails is answered with 200 too: `status` is `error`, with ' +
    '`error_code` and `error_message`. What creating it would refuse is refused here too. Two of a team and four ' +
    'in all run at a time in one process: 429 `RATE_LIMIT_EXCEEDED` with `Retry-After` when all places are taken. ' +
    'What is refused uses no run.',
  tag: 'Monitors',
  policy: 'monitors.write',
  beyond: true,
  body: MonitorCreate,
  defaults: true,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 200: { description: 'What a run would give.', schema: Preview } },
  async handle({ body, principal: { teamId }, services: { store, previews } }) {
    if (!previews) throw later('This process makes no previews.')
    // The frame has filled in every default: the body is whole.
    const wanted = { teamId, spec: body as MonitorSpec }
    const { preview } = doneOf(await previewMonitor({ store, previews }, wanted))
    return ok(preview)
  },
})
