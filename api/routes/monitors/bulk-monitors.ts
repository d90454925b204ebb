import type { FastifyBaseLogger } from 'fastify'
import { actOnMany, actOnMatching, type ManyResult } from '../../../monitors/act-on-many.ts'
import { type BulkResult, MAX_BULK, MonitorBulk, MonitorBulkDone } from '../../../schema/monitor/bulk.ts'
import type { EverySpec } from '../../../schema/monitor/every-spec.ts'
import { storeOutage } from '../../../store/db/store-fault.ts'
import type { EveryRow } from '../../../store/monitors/kinds/monitor-row.ts'
import type { OverviewQuery } from '../../../store/overview/wanted-monitors.ts'
import { faultOf } from '../../http/fault.ts'
import { doneOf, outcomeError } from '../../http/outcome-error.ts'
import { ok, type Route, route } from '../../http/route.ts'
import { readerOf, wantedOf } from '../overview/overview-filters.ts'
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
      'Pause, resume, mute, unmute, label, delete or run them, or change how often they are checked. They are named ' +
      `by \`ids\`, or are all that a \`filter\` leaves, at most ${MAX_BULK}. ` +
      'The monitors are independent: a failure for one does not undo the others. Each monitor gets the same audit ' +
      'entry as from its own route, and the request gets monitor.bulk_action. One malformed id refuses the whole ' +
      'request. What monitors that are muted until the same time hold for a destination is sent as one digest.',
    tag,
    policy: 'monitors.write',
    work: 'bulk',
    // A filter with labels.
    bodyLimit: 'bulk',
    body: MonitorBulk,
    answers: { 200: { description: 'A result for each id.', schema: MonitorBulkDone } },
    beyond: true,
    refusals: ['CONFLICT'],
    async handle({ body, principal, actor, services, log }) {
      const { ids, filter = {}, expected = 0, ...act } = body
      const asked = { teamId: principal.teamId, actor, ...act }
      const query = (): OverviewQuery => ({
        reader: readerOf(principal),
        kinds: [kind.table],
        wanted: { ...wantedOf(filter), kind: kind.table.kind },
      })
      const { results, succeeded, failed } = ids
        ? await actOnMany(services, kind, { ...asked, ids })
        : doneOf(await actOnMatching(services, kind, { ...asked, query: query(), expected }))
      return ok({
        action: body.action,
        succeeded,
        failed,
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
