import Type from 'typebox'
import { Delivery, DELIVERY_STATUSES } from '../../../schema/run/delivery.ts'
import { Pagination, pageQuery } from '../../../schema/page-of.ts'
import { TIERS } from '../../../schema/account/plan.ts'
import { Choice, Closed, Instant } from '../../../schema/shape/shape.ts'
import { listDeliveries, sumDeliveries } from '../../../store/deliveries/deliveries.ts'
import { ok, route } from '../../http/route.ts'
import { paginationOf, showsEnd, windowOf } from '../page-of-rows.ts'
import { shownDelivery } from '../shown.ts'

const Retention = Closed({
  tier: Choice(TIERS),
  retention_days: Type.Integer({ minimum: 1 }),
  cutoff_at: Instant('Deliveries made before are not returned.'),
})

export const listDeliveriesRoute = route({
  method: 'GET',
  path: '/v1/deliveries',
  summary: 'List deliveries, newest first',
  description: "Those inside the plan's retention window.",
  tag: 'Deliveries',
  policy: 'deliveries.read',
  query: Closed({ ...pageQuery, status: Type.Optional(Choice(DELIVERY_STATUSES)) }),
  answers: {
    200: {
      description: 'A page of deliveries.',
      schema: Closed({ data: Type.Array(Delivery), pagination: Pagination, retention: Retention }),
    },
  },
  async handle({ query, principal: { teamId }, services }) {
    const wanted = { teamId, status: query.status }
    const rows = await listDeliveries(services.store, { ...wanted, ...windowOf(query) })
    // Each row carries the window, so that an ordinary page is one statement.
    const [first] = rows
    const facts =
      first && showsEnd(query, rows.length) ? { ...first, total: 0 } : await sumDeliveries(services.store, wanted)
    const { tier, retention_days, cutoff_at, total } = facts
    return ok({
      data: rows.map((stored) => shownDelivery(stored, services)),
      pagination: await paginationOf(query, rows.length, async () => total),
      retention: { tier, retention_days, cutoff_at },
    })
  },
})
