import Type from 'typebox'
import { Closed } from '../../../schema/shape/shape.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { findDelivery } from '../../../store/deliveries/deliveries.ts'
import { replayDelivery } from '../../../store/deliveries/replay-deliveries.ts'
import { apiError } from '../../http/api-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { noSuchDelivery } from './delivery-faults.ts'

export const replayDeliveryRoute = route({
  method: 'POST',
  path: '/v1/deliveries/:id/replay',
  summary: 'Send a failed or dead delivery again',
  description: 'At once, with all its attempts ahead, the same id and the same payload.',
  tag: 'Deliveries',
  policy: 'deliveries.replay',
  params: ById,
  answers: { 200: { description: 'It is queued.', schema: Closed({ queued: Type.Literal(true) }) } },
  async handle({ params, principal: { teamId }, actor, services }) {
    await services.store.transaction(async (tx) => {
      const found = await findDelivery(tx, teamId, params.id)
      if (!found) throw noSuchDelivery()
      if (!(await replayDelivery(tx, teamId, params.id))) throw notReplayable(found.status)
      const target = { id: found.id, label: found.monitor_name }
      const metadata = { run_id: found.run_id, previous_status: found.status }
      await recordAudit(tx, { teamId, actor, action: 'delivery.replayed', target, metadata })
    })
    services.poke()
    return ok({ queued: true })
  },
})

function notReplayable(status: string) {
  const why = status === 'success' ? 'It was delivered' : 'It is still waiting to be sent'
  return apiError('CONFLICT', `${why}: only a failed or dead delivery can be sent again.`)
}
