import type { FastifyBaseLogger } from 'fastify'
import { actOnMany, type ManyResult } from '../../../monitors/act-on-many.ts'
import { type BulkResult, MonitorBulk, MonitorBulkDone } from '../../../schema/monitor/bulk.ts'
import type { EverySpec } from '../../../schema/monitor/every-spec.ts'
import { storeOutage } from '../../../store/db/store-fault.ts'
import type { EveryRow } from '../../../store/monitors/kinds/monitor-row.ts'
import { faultOf } from '../../http/fault.ts'
import { outcomeError } from '../../http/outcome-error.ts'
import { ok, type Route, route } from '../../http/route.ts'
import type { ServedKind } from './served-kind.ts'

/** Returns the route that does an action on many monitors of a kind. */
export const bulkRoute = <Spec extends EverySpec, Row extends EveryRow>({
  kind,
  path,
  noun,
  tag,
}: ServedKind<Spec, Row>): Route =>
  route({
    method: 'POST',
    path: `${path}/bulk`,
    summary: `Do the same with many ${noun}s`,
    description:
      'Pause, resume, mute, unmute, label, delete or run them, or change how often they are checked. ' +
      'The monitors are independent: a failure for one does not undo the others. Each monitor gets the same audit ' +
      'entry as from its own route, and the request gets monitor.bulk_action. One malformed id refuses the whole ' +
      'request. What monitors that are muted until the same time hold for a destination is sent as one digest.',
    tag,
    policy: 'monitors.write',
    work: 'bulk',
    body: MonitorBulk,
    answers: { 200: { description: 'A result for each id.', schema: MonitorBulkDone } },
    beyond: true,
    async handle({ body, principal: { teamId }, actor, services, log }) {
      const { results, ...counts } = await actOnMany(services, kind, { teamId, actor, ...body })
      return ok({
        action: body.action,
        ...counts,
        results: results.map((result) => shownResult(result, { log, root: services.log })),
      })
    },
  })

/** The result for one monitor: the same as from the route for that monitor. */
function shownResult(
  { id, outcome }: ManyResult,
  { log, root }: { readonly log: FastifyBaseLogger; readonly root: FastifyBaseLogger },
): BulkResult {
  if (outcome.kind === 'done') return { id, ok: true, ...('runId' in outcome && { run_id: outcome.runId }) }
  const thrown = outcome.kind === 'failed' ? outcome.error : outcomeError(outcome)
  const { error, unexpected } = faultOf(thrown)
  if (unexpected && !storeOutage(root).covers(thrown, 'parts of bulk actions'))
    log.error({ err: thrown, monitor_id: id }, 'a part of a bulk action failed')
  return { id, ok: false, error: { code: error.code, message: error.message, details: [...error.details] } }
}
