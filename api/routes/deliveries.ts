import Type from 'typebox'
import { TIERS } from '../../schema/account/plan.ts'
import { pageQuery, Pagination } from '../../schema/page-of.ts'
import { DeliveryCounts, deliveryFilters, FailingDestinations } from '../../schema/run/delivery-list.ts'
import { Delivery } from '../../schema/run/delivery.ts'
import { Choice, Closed, Instant } from '../../schema/shape/shape.ts'
import { hasValues } from '../../store/db/listed-bytes.ts'
import {
  countDeliveries,
  findDelivery,
  listDeliveries,
  readDeliveries,
  sumDeliveries,
} from '../../store/deliveries/deliveries.ts'
import { listFailingDestinations } from '../../store/deliveries/failing-destinations.ts'
import { noSuch } from '../http/common-errors.ts'
import { jsonWith } from '../http/json-with.ts'
import { paginationOf, showsEnd, windowOf } from '../http/page-of-rows.ts'
import { ById, ok, okParts, route } from '../http/route.ts'
import { readableBox, shownDelivery, shownDeliveryHead, shownDestination } from '../presenters/shown.ts'
import { filterOf } from './delivery-filter.ts'
import { answerDeliveries } from './delivery-list.ts'

const Retention = Closed({
  tier: Choice(TIERS),
  retention_days: Type.Integer({ minimum: 1 }),
  cutoff_at: Instant('Deliveries made before are not returned.'),
})

export const listDeliveriesRoute = route({
  method: 'GET',
  path: '/v1/deliveries',
  summary: 'List deliveries, newest first',
  description: "Only deliveries inside the plan's retention window.",
  tag: 'Deliveries',
  policy: 'deliveries.read',
  query: Closed({
    ...pageQuery,
    ...deliveryFilters,
    payloads: Type.Optional(
      Type.Boolean({ default: true, description: 'Beyond the contract: false: each `payload` is an empty object.' }),
    ),
  }),
  answers: {
    200: {
      description: 'A page of deliveries.',
      schema: Closed({ data: Type.Array(Delivery), pagination: Pagination, retention: Retention }),
    },
  },
  streams: true,
  async handle(call) {
    const { query, principal, services } = call
    const { payloads, page: _, limit: __, ...filters } = query
    const wanted = filterOf(principal, filters)
    const isLean = payloads === false
    const rows = await listDeliveries(services.store, { ...wanted, ...windowOf(query), isLean })
    // Each row includes the window, so that an ordinary page needs only one statement.
    const [first] = rows
    const facts =
      first && showsEnd(query, rows.length) ? { ...first, total: 0 } : await sumDeliveries(services.store, wanted)
    const { tier, retention_days, cutoff_at, total } = facts
    const rest = {
      pagination: await paginationOf(query, rows.length, async () => total),
      retention: { tier, retention_days, cutoff_at },
    }
    return answerDeliveries(call, rows, rest, { isLean })
  },
})

export const getDeliveryRoute = route({
  method: 'GET',
  path: '/v1/deliveries/:id',
  summary: 'Read a delivery',
  tag: 'Deliveries',
  policy: 'deliveries.read',
  params: ById,
  answers: { 200: { description: 'The delivery.', schema: Delivery } },
  streams: true,
  async handle({ params: { id }, principal, services, left }) {
    const { teamId } = principal
    const { store, lists } = services
    const stored = await findDelivery(store, teamId, id)
    if (!stored) throw noSuch('delivery')
    const reader = { services, principal }
    if (hasValues([stored])) return ok(shownDelivery(stored, reader))
    const read = async () => {
      const [whole] = await readDeliveries(store, teamId, [id])
      if (!whole) throw noSuch('delivery')
      return jsonWith(shownDeliveryHead(whole, reader), { payload: whole.payload })
    }
    return okParts(await lists.openRecord({ teamId, bytes: stored.bytes, read, left }))
  },
})

export const countDeliveriesRoute = route({
  method: 'GET',
  path: '/v1/deliveries/counts',
  summary: 'Count deliveries by their state',
  description: "Only deliveries inside the plan's retention window. The filters are those of the list.",
  tag: 'Deliveries',
  policy: 'deliveries.read',
  query: Closed(deliveryFilters),
  answers: { 200: { description: 'How many the filters leave.', schema: DeliveryCounts } },
  beyond: true,
  handle: async ({ query, principal, services: { store } }) =>
    ok(await countDeliveries(store, filterOf(principal, query))),
})

export const failingDestinationsRoute = route({
  method: 'GET',
  path: '/v1/deliveries/destinations',
  summary: 'List the destinations that take no deliveries',
  description:
    'A destination is listed from the moment at which a delivery to it is given up, until it takes one again or its ' +
    'monitor has another one. Destinations of several monitors are one where their addresses are equal.',
  tag: 'Deliveries',
  policy: 'deliveries.read',
  answers: { 200: { description: 'The destinations, those of the most monitors first.', schema: FailingDestinations } },
  beyond: true,
  async handle({ principal, services }) {
    const reader = { services, principal }
    const secrets = readableBox(reader, 'a failing destination')
    const { data, total } = await listFailingDestinations(services.store, principal.teamId, secrets)
    return ok({ data: data.map((one) => shownDestination(one, reader)), total })
  },
})
