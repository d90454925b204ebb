import type { FastifyBaseLogger } from 'fastify'
import { actOnMany, type ManyResult } from '../../../monitors/act-on-many.ts'
import { type BulkResult, MonitorBulk, MonitorBulkDone } from '../../../schema/monitor/bulk.ts'
import { faultOf } from '../../http/fault.ts'
import { outcomeError } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'

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
  async handle({ body, principal: { teamId }, actor, services, log }) {
    const { results, ...counts } = await actOnMany(services, { teamId, actor, ...body })
    return ok({ action: body.action, ...counts, results: results.map((result) => shownResult(result, log)) })
  },
})

/** One of many, answered as by its own route. */
function shownResult({ id, outcome }: ManyResult, log: FastifyBaseLogger): BulkResult {
  if (outcome.kind === 'done') return { id, ok: true, ...('runId' in outcome && { run_id: outcome.runId }) }
  const thrown = outcome.kind === 'failed' ? outcome.error : outcomeError(outcome)
  const { error, unexpected } = faultOf(thrown)
  if (unexpected) log.error({ err: thrown, monitor_id: id }, 'a part of a bulk action failed')
  return { id, ok: false, error: { code: error.code, message: error.message, details: [...error.details] } }
}
