import Type from 'typebox'
import { replayOne } from '../../../deliveries/replay.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'

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
    doneOf(await replayOne(services, { teamId, actor, id: params.id }))
    return ok({ queued: true })
  },
})
