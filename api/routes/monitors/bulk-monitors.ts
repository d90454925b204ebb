import { type BulkAction, type BulkResult, MonitorBulk, MonitorBulkDone } from '../../../schema/monitor/bulk.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import type { Transaction } from '../../../store/db/client.ts'
import { faultOf } from '../../http/fault.ts'
import { type Call, ok, route } from '../../http/route.ts'
import { deleteOne } from './delete-monitor.ts'
import type { OneMonitor } from './one-monitor.ts'
import { pauseOne } from './pause-monitor.ts'
import { resumeOne } from './resume-monitor.ts'
import { runOne } from './run-monitor.ts'

type BulkCall = Call<unknown, unknown, MonitorBulk>

/** Throws what the monitor's own route would answer. */
type Act = (tx: Transaction, one: OneMonitor) => Promise<Pick<BulkResult, 'run_id'>>

const quiet =
  (act: (tx: Transaction, one: OneMonitor) => Promise<unknown>): Act =>
  async (tx, one) => {
    await act(tx, one)
    return {}
  }

const ACTS: Readonly<Record<BulkAction, Act>> = {
  pause: quiet(pauseOne),
  resume: quiet(resumeOne),
  delete: quiet(deleteOne),
  run: async (tx, one) => ({ run_id: await runOne(tx, one) }),
}

export const bulkMonitorsRoute = route({
  method: 'POST',
  path: '/v1/monitors/bulk',
  summary: 'Pause, resume, delete or run many monitors',
  description:
    'Each one by itself: what fails for one does not undo the others. Every monitor is audited as by its own ' +
    'route, and the whole as monitor.bulk_action. One malformed id refuses the whole.',
  tag: 'Monitors',
  policy: 'monitors.write',
  body: MonitorBulk,
  answers: { 200: { description: 'A result for each id.', schema: MonitorBulkDone } },
  beyond: true,
  async handle(call) {
    const { action, ids } = call.body
    const results: BulkResult[] = []
    // One after the other, a short transaction each: a long one would keep the team's quota and many checks locked.
    for (const id of new Set(ids.map((each) => each.toLowerCase()))) results.push(await attempt(call, id))
    const succeeded = results.filter((result) => result.ok).length
    const failed = results.length - succeeded
    if (succeeded > 0) await auditAll(call, { succeeded, failed })
    if (succeeded > 0 && action !== 'pause') call.services.poke()
    return ok({ action, succeeded, failed, results })
  },
})

/** Rejects only when the store is away: then nothing that follows would go better. */
async function attempt({ body, principal, actor, services, log }: BulkCall, id: string): Promise<BulkResult> {
  try {
    const one = { teamId: principal.teamId, actor, id }
    const done = await services.store.transaction((tx) => ACTS[body.action](tx, one))
    return { id, ok: true, ...done }
  } catch (thrown) {
    const { error, unexpected } = faultOf(thrown)
    if (error.code === 'UNAVAILABLE') throw thrown
    if (unexpected) log.error({ err: thrown, monitor_id: id }, 'a part of a bulk action failed')
    return { id, ok: false, error: { code: error.code, message: error.message, details: [...error.details] } }
  }
}

async function auditAll(
  { body, principal: { teamId }, actor, services }: BulkCall,
  counts: { readonly succeeded: number; readonly failed: number },
): Promise<void> {
  const metadata = { action: body.action, ...counts }
  const target = { id: null, label: null }
  await services.store.transaction((tx) =>
    recordAudit(tx, { teamId, actor, action: 'monitor.bulk_action', target, metadata }),
  )
}
