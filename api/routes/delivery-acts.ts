import Type from 'typebox'
import type { NotFound } from '../../core/outcome.ts'
import { type NotHeld, releaseHeld } from '../../deliveries/release-held.ts'
import { replayFiltered, replayListed } from '../../deliveries/replay-many.ts'
import { type NotReplayable, replayOne } from '../../deliveries/replay.ts'
import { DeliveryRelease, DeliveryReleased, MAX_RELEASED } from '../../schema/run/delivery-release.ts'
import { DeliveriesReplay, DeliveriesReplayed, MAX_REPLAYED } from '../../schema/run/delivery-replay.ts'
import { Closed } from '../../schema/shape/shape.ts'
import { doneOf, outcomeError } from '../http/outcome-error.ts'
import { ById, ok, route } from '../http/route.ts'
import { filterOf } from './delivery-filter.ts'

/** What became of one delivery. */
interface One {
  readonly id: string
  readonly outcome: { readonly kind: 'done' } | NotFound | NotHeld | NotReplayable
}

function resultOf({ id, outcome }: One) {
  if (outcome.kind === 'done') return { id, ok: true }
  const { code, message } = outcomeError(outcome)
  return { id, ok: false, error: { code, message } }
}

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

export const replayDeliveriesRoute = route({
  method: 'POST',
  path: '/v1/deliveries/replay',
  summary: 'Send failed and dead deliveries again',
  description:
    `Of up to ${MAX_RELEASED} \`ids\`, which are independent, or of all that a \`filter\` leaves, at most ` +
    `${MAX_REPLAYED}. They are sent at once with the same ids and payloads, the oldest first, and get all their ` +
    'attempts again. Each is in the audit log.',
  tag: 'Deliveries',
  policy: 'deliveries.replay',
  work: 'replay',
  body: DeliveriesReplay,
  answers: { 200: { description: 'They are queued.', schema: DeliveriesReplayed } },
  refusals: ['CONFLICT'],
  beyond: true,
  async handle({ body: { ids, filter = {}, expected = 0 }, principal, actor, services }) {
    const { teamId } = principal
    if (ids === undefined) {
      const wanted = { teamId, actor, filter: filterOf(principal, filter), expected }
      const { queued, failed } = doneOf(await replayFiltered(services, wanted))
      return ok({ queued, failed, results: [] })
    }
    const results = (await replayListed(services, { teamId, actor, ids })).map(resultOf)
    const queued = results.filter(({ ok: isDone }) => isDone).length
    return ok({ queued, failed: results.length - queued, results })
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
    const results = released.map(resultOf)
    const succeeded = results.filter(({ ok: isDone }) => isDone).length
    return ok({ succeeded, failed: results.length - succeeded, results })
  },
})
