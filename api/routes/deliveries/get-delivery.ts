import { Delivery } from '../../../schema/delivery.ts'
import { findDelivery } from '../../../store/deliveries.ts'
import { toDelivery } from '../../../store/deliveries-record.ts'
import { ok, route } from '../../route.ts'
import { ById } from '../by-id.ts'
import { noSuchDelivery } from './delivery-faults.ts'

export const getDeliveryRoute = route({
  method: 'GET',
  path: '/v1/deliveries/:id',
  summary: 'Read a delivery',
  tag: 'Deliveries',
  policy: 'deliveries.read',
  params: ById,
  answers: { 200: { description: 'The delivery.', schema: Delivery } },
  async handle({ params, principal, services: { store, secrets } }) {
    const stored = await findDelivery(store, principal.teamId, params.id)
    if (!stored) throw noSuchDelivery()
    return ok(toDelivery(stored, secrets))
  },
})
