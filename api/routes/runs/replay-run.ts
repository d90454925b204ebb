import Type from 'typebox'
import { Closed } from '../../../schema/shape/shape.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { replayRunDeliveries } from '../../../store/deliveries/replay-deliveries.ts'
import { findRun } from '../../../store/runs/runs.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { noSuchRun } from './run-faults.ts'

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
    const queued = await services.store.transaction(async (tx) => {
      const run = await findRun(tx, teamId, params.id)
      if (!run) throw noSuchRun()
      const replayed = await replayRunDeliveries(tx, teamId, params.id)
      for (const { id } of replayed) {
        const target = { id, label: run.monitor_name }
        await recordAudit(tx, { teamId, actor, action: 'delivery.replayed', target, metadata: { run_id: run.id } })
      }
      return replayed.length
    })
    if (queued > 0) services.poke()
    return ok({ queued })
  },
})
