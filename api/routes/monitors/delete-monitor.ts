import { deleteMonitor } from '../../../monitors/delete-monitor.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { noContent, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'

export const deleteMonitorRoute = route({
  method: 'DELETE',
  path: '/v1/monitors/:id',
  summary: 'Delete a monitor',
  description: 'Its runs stay readable and pending deliveries finish.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  answers: { 204: { description: 'It is deleted.' } },
  async handle({ params, principal: { teamId }, actor, services }) {
    doneOf(await deleteMonitor(services, { teamId, actor, id: params.id }))
    return noContent()
  },
})
