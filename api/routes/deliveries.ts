import Type from 'typebox'
import { releaseHeld } from '../../deliveries/release-held.ts'
import { replayOne } from '../../deliveries/replay.ts'
import { TIERS } from '../../schema/account/plan.ts'
import { ofMonitorQuery } from '../../schema/monitor/monitor.ts'
import { pageQuery, Pagination } from '../../schema/page-of.ts'
import { DeliveryRelease, DeliveryReleased, MAX_RELEASED } from '../../schema/run/delivery-release.ts'
import { Delivery, DELIVERY_STATUSES } from '../../schema/run/delivery.ts'
import { Choice, Closed, Instant } from '../../schema/shape/shape.ts'
import { hasValues } from '../../store/db/listed-bytes.ts'
import { findDelivery, listDeliveries, readDeliveries, sumDeliveries } from '../../store/deliveries/deliveries.ts'
import { noSuch } from '../http/common-errors.ts'
import { jsonWith } from '../http/json-with.ts'
import { doneOf, outcomeError } from '../http/outcome-error.ts'
import { paginationOf, showsEnd, windowOf } from '../http/page-of-rows.ts'
import { ById, ok, okParts, route } from '../http/route.ts'
import { shownDelivery, shownDeliveryHead } from '../presenters/shown.ts'
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
    status: Type.Optional(Choice(DELIVERY_STATUSES)),
    given_up: Type.Optional(
      Type.Boolean({
        description:
          'Beyond the contract: true: only deliveries that are dead, or failed without a next attempt; false: only ' +
          'the others.',
      }),
    ),
    ...ofMonitorQuery,
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
    const { teamId } = principal
    const { status, name, monitor_id: monitorId, given_up: givenUp } = query
    const wanted = { teamId, status, name, monitorId, givenUp }
    const rows = await listDeliveries(services.store, { ...wanted, ...windowOf(query) })
    // Each row includes the window, so that an ordinary page needs only one statement.
    const [first] = rows
    const facts =
      first && showsEnd(query, rows.length) ? { ...first, total: 0 } : await sumDeliveries(services.store, wanted)
    const { tier, retention_days, cutoff_at, total } = facts
    return answerDeliveries(call, rows, {
      pagination: await paginationOf(query, rows.length, async () => total),
      retention: { tier, retention_days, cutoff_at },
    })
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

export const replayDeliveryRoute = route({
  method: 'POST',
  path: '/v1/deliveries/:id/replay',
  summary: 'Send a failed or dead delivery again',
  description: 'It is sent at once with the same id and payload, and gets all its attempts again.',
  tag: 'Deliveries',
  policy: 'deliveries.replay',
  params: ById,
  answers: { 200: { description: 'The delivery is queued.', schema: Closed({ queued: Type.Literal(true) }) } },
  async handle({ params, principal: { teamId }, actor, services }) {
    doneOf(await replayOne(services, { teamId, actor, id: params.id }))
    return ok({ queued: true })
  },
})

export const releaseDeliveriesRoute = route({
  method: 'POST',
  path: '/v1/deliveries/release',
  summary: 'Send or drop deliveries that wait for a later hour',
  description:
    `Ends the wait of up to ${MAX_RELEASED} deliveries that have \`held\`: they are sent now, or never. They are ` +
    'independent: one that does not wait is a CONFLICT in its result, and does not stop the others. Each that is ' +
    'sent or dropped is in the audit log.',
  tag: 'Deliveries',
  policy: 'deliveries.replay',
  body: DeliveryRelease,
  answers: { 200: { description: 'A result for each id.', schema: DeliveryReleased } },
  beyond: true,
  async handle({ body, principal: { teamId }, actor, services }) {
    const released = await releaseHeld(services, { teamId, actor, ...body })
    const results = released.map(({ id, outcome }) => {
      if (outcome.kind === 'done') return { id, ok: true }
      const { code, message } = outcomeError(outcome)
      return { id, ok: false, error: { code, message } }
    })
    const succeeded = results.filter(({ ok: isDone }) => isDone).length
    return ok({ succeeded, failed: results.length - succeeded, results })
  },
})
