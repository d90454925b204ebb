import { RunQueued } from '../../../schema/run.ts'
import { recordAudit } from '../../../store/audit.ts'
import { runNow } from '../../../store/monitor-run-now.ts'
import { apiError } from '../../api-error.ts'
import { ok, route } from '../../route.ts'
import { ById } from '../by-id.ts'
import { locked, noSuchMonitor } from './monitor-faults.ts'

export const runMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/:id/run',
  summary: 'Run a monitor now',
  description: 'Also a paused one. While a run is queued, asking again answers the same one.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  answers: { 200: { description: 'The run, readable as running from now on.', schema: RunQueued } },
  async handle({ params, principal, actor, services }) {
    const { teamId } = principal
    const outcome = await services.store.transaction(async (tx) => {
      const asked = await runNow(tx, teamId, params.id)
      if (asked.kind !== 'queued' || !asked.isNew) return asked
      const target = { id: params.id, label: asked.name }
      const metadata = { run_id: asked.runId }
      await recordAudit(tx, { teamId, actor, action: 'monitor.run_triggered', target, metadata })
      return asked
    })
    switch (outcome.kind) {
      case 'missing':
        throw noSuchMonitor()
      case 'used_up':
        throw apiError('RUN_LIMIT_REACHED', "The month's runs and the run credits are used up.", [outcome.quota])
      case 'locked':
        throw locked('run')
      case 'queued':
        services.poke()
        return ok({ run_id: outcome.runId, queued: true })
    }
  },
})
