import Type from 'typebox'
import { replayRun } from '../../../deliveries/replay.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'

export const replayRunRoute = route({
  method: 'POST',
  path: '/v1/runs/:id/replay',
  summary: 'Send the failed deliveries of a run again',
  description:
    'Takes the dead ones and those that failed for good; one that waits for its next attempt goes on waiting.',
  tag: 'Runs',
  policy: 'deliveries.replay',
  params: ById,
  answers: {
    200: { description: 'How many were queued again.', schema: Closed({ queued: Type.Integer({ minimum: 0 }) }) },
  },
  async handle({ params, principal: { teamId }, actor, services }) {
    const { queued } = doneOf(await replayRun(services, { teamId, actor, id: params.id }))
    return ok({ queued })
  },
})
