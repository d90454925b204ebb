import Type from 'typebox'
import { Delivery } from '../../../schema/run/delivery.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { listRunDeliveries } from '../../../store/deliveries/deliveries.ts'
import { findRun } from '../../../store/runs/runs.ts'
import { noSuch } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { shownDelivery } from '../shown.ts'

export const listRunDeliveriesRoute = route({
  method: 'GET',
  path: '/v1/runs/:id/deliveries',
  summary: 'List the deliveries of a run',
  tag: 'Runs',
  policy: 'deliveries.read',
  params: ById,
  answers: { 200: { description: 'All of them.', schema: Closed({ data: Type.Array(Delivery) }) } },
  async handle({ params, principal: { teamId }, services }) {
    if (!(await findRun(services.store, teamId, params.id))) throw noSuch('run')
    const rows = await listRunDeliveries(services.store, teamId, params.id)
    return ok({ data: rows.map((stored) => shownDelivery(stored, services)) })
  },
})
