import { recordAudit } from '../../../store/accounts/audit.ts'
import type { Transaction } from '../../../store/db/client.ts'
import { deleteMonitor } from '../../../store/monitors/monitor-delete.ts'
import { lockMonitor } from '../../../store/monitors/monitor-edit.ts'
import { noContent, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { noSuchMonitor, refuseManaged } from './monitor-faults.ts'
import type { OneMonitor } from './one-monitor.ts'

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
    await store.transaction((tx) => deleteOne(tx, { teamId, actor, id: params.id }))
    return noContent()
  },
})

/** Deletes a monitor and says so in the audit log. */
export async function deleteOne(tx: Transaction, { teamId, actor, id }: OneMonitor): Promise<void> {
  const stored = await lockMonitor(tx, teamId, id)
  if (!stored) throw noSuchMonitor()
  refuseManaged(stored)
  await deleteMonitor(tx, stored.no)
  await recordAudit(tx, { teamId, actor, action: 'monitor.deleted', target: { id: stored.id, label: stored.name } })
}
