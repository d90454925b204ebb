import { RunQueued } from '../../../schema/run/run.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import type { Transaction } from '../../../store/db/client.ts'
import { runNow } from '../../../store/monitors/monitor-run-now.ts'
import { apiError } from '../../http/api-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { locked, noSuchMonitor } from './monitor-faults.ts'
import type { OneMonitor } from './one-monitor.ts'

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
    const runId = await services.store.transaction((tx) => runOne(tx, { teamId, actor, id: params.id }))
    services.poke()
    return ok({ run_id: runId, queued: true })
  },
})

/**
 * Queues a run of a monitor and says so in the audit log; answers the run's id. One that is queued already is answered
 * as it is.
 */
export async function runOne(tx: Transaction, { teamId, actor, id }: OneMonitor): Promise<string> {
  const outcome = await runNow(tx, teamId, id)
  switch (outcome.kind) {
    case 'missing':
      throw noSuchMonitor()
    case 'used_up':
      throw apiError('RUN_LIMIT_REACHED', "The month's runs and the run credits are used up.", [outcome.quota])
    case 'locked':
      throw locked('run')
    case 'queued': {
      const target = { id, label: outcome.name }
      const metadata = { run_id: outcome.runId }
      if (outcome.isNew) await recordAudit(tx, { teamId, actor, action: 'monitor.run_triggered', target, metadata })
      return outcome.runId
    }
  }
}
