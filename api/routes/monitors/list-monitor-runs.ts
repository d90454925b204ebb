import { PageOf, pageQuery } from '../../../schema/page-of.ts'
import { Run } from '../../../schema/run/run.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { toRun } from '../../../store/runs/run-record.ts'
import { countRuns, listRuns } from '../../../store/runs/runs.ts'
import { noSuch } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { paginationOf, windowOf } from '../page-of-rows.ts'

export const listMonitorRunsRoute = route({
  method: 'GET',
  path: '/v1/monitors/:id/runs',
  summary: "List a monitor's runs, newest first",
  description: "Those inside the plan's retention window; one that is under way or queued stands first, as running.",
  tag: 'Monitors',
  policy: 'runs.read',
  params: ById,
  query: Closed(pageQuery),
  answers: { 200: { description: 'A page of runs.', schema: PageOf(Run) } },
  async handle({ params, query, principal: { teamId }, services: { store } }) {
    const rows = await listRuns(store, { teamId, monitorId: params.id, ...windowOf(query) })
    const count = async () => {
      const total = await countRuns(store, teamId, params.id)
      if (total === null) throw noSuch('monitor')
      return total
    }
    // No rows: an empty page, or no such monitor.
    const total = rows.length === 0 ? await count() : null
    return ok({
      data: rows.map(toRun),
      pagination: await paginationOf(query, rows.length, async () => total ?? count()),
    })
  },
})
