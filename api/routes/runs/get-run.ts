import { Run } from '../../../schema/run/run.ts'
import { toRun } from '../../../store/runs/run-record.ts'
import { findRun } from '../../../store/runs/runs.ts'
import { noSuch } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'

export const getRunRoute = route({
  method: 'GET',
  path: '/v1/runs/:id',
  summary: 'Read a run',
  description: 'From the moment it is queued or claimed. Runs of deleted monitors stay readable.',
  tag: 'Runs',
  policy: 'runs.read',
  params: ById,
  answers: { 200: { description: 'The run.', schema: Run } },
  async handle({ params, principal, services: { store } }) {
    const stored = await findRun(store, principal.teamId, params.id)
    if (!stored) throw noSuch('run')
    return ok(toRun(stored))
  },
})
