import { Delivery } from '../../../schema/run/delivery.ts'
import { findDelivery } from '../../../store/deliveries/deliveries.ts'
import { noSuch } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { shownDelivery } from '../shown.ts'

export const getDeliveryRoute = route({
  method: 'GET',
  path: '/v1/deliveries/:id',
  summary: 'Read a delivery',
  tag: 'Deliveries',
  policy: 'deliveries.read',
  params: ById,
  answers: { 200: { description: 'The delivery.', schema: Delivery } },
  async handle({ params, principal, services }) {
    const stored = await findDelivery(services.store, principal.teamId, params.id)
    if (!stored) throw noSuch('delivery')
    return ok(shownDelivery(stored, services))
  },
})
