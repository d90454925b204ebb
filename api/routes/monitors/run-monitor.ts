import { runMonitor } from '../../../monitors/run-monitor.ts'
import { RunQueued } from '../../../schema/run/run.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'

export const runMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/:id/run',
  summary: 'Run a monitor now',
  description: 'Also a paused one. While a run is queued, asking again answers the same one.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  answers: { 200: { description: 'The run, readable as running from now on.', schema: RunQueued } },
  async handle({ params, principal: { teamId }, actor, services }) {
    const { runId } = doneOf(await runMonitor(services, { teamId, actor, id: params.id }))
    return ok({ run_id: runId, queued: true })
  },
})
