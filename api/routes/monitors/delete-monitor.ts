import { recordAudit } from '../../../store/audit.ts'
import { deleteMonitor } from '../../../store/monitor-delete.ts'
import { lockMonitor } from '../../../store/monitor-edit.ts'
import { noContent, route } from '../../route.ts'
import { ById } from '../by-id.ts'
import { noSuchMonitor, refuseManaged } from './monitor-faults.ts'

export const deleteMonitorRoute = route({
  method: 'DELETE',
  path: '/v1/monitors/:id',
  summary: 'Delete a monitor',
  description: 'Its runs stay readable and pending deliveries finish.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  answers: { 204: { description: 'It is deleted.' } },
  async handle({ params, principal, actor, services: { store } }) {
    const { teamId } = principal
    await store.transaction(async (tx) => {
      const stored = await lockMonitor(tx, teamId, params.id)
      if (!stored) throw noSuchMonitor()
      refuseManaged(stored)
      await deleteMonitor(tx, stored.no)
      const target = { id: stored.id, label: stored.name }
      await recordAudit(tx, { teamId, actor, action: 'monitor.deleted', target })
    })
    return noContent()
  },
})
