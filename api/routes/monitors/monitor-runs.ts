import { PageOf, pageQuery } from '../../../schema/page-of.ts'
import { Run } from '../../../schema/run/run.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { toRun } from '../../../store/runs/run-record.ts'
import { countRuns, listRuns } from '../../../store/runs/runs.ts'
import { noSuch } from '../../http/outcome-error.ts'
import { paginationOf, windowOf } from '../../http/page-of-rows.ts'
import { ById, ok, route } from '../../http/route.ts'
import type { ServedKind } from './monitor-kind.ts'

/** Returns the route that lists the runs of a monitor of one kind. */
export const monitorRunsRoute = ({ path, noun, tag, kind }: ServedKind) =>
  route({
    method: 'GET',
    path: `${path}/:id/runs`,
    summary: `List a ${noun}'s runs, newest first`,
    description:
      "Only runs inside the plan's retention window. A run that is queued or in progress comes first, as running.",
    tag,
    policy: 'runs.read',
    params: ById,
    query: Closed(pageQuery),
    answers: { 200: { description: 'A page of runs.', schema: PageOf(Run) } },
    async handle({ params, query, principal: { teamId }, services: { store } }) {
      const rows = await listRuns(store, { teamId, monitorId: params.id, ...(kind && { kind }), ...windowOf(query) })
      const count = async () => {
        const total = await countRuns(store, teamId, params.id, kind)
        if (total === null) throw noSuch('monitor')
        return total
      }
      // There are no rows: the page is empty, or the monitor does not exist.
      const total = rows.length === 0 ? await count() : null
      return ok({
        data: rows.map(toRun),
        pagination: await paginationOf(query, rows.length, async () => total ?? count()),
      })
    },
  })
