import Type from 'typebox'
import { Monitor } from '../../../schema/monitor/monitor.ts'
import { PageOf, pageQuery } from '../../../schema/page-of.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { countMonitors, listMonitors } from '../../../store/monitors/monitors.ts'
import { ok, route } from '../../http/route.ts'
import { paginationOf, windowOf } from '../page-of-rows.ts'
import { shownMonitor } from '../shown.ts'

export const listMonitorsRoute = route({
  method: 'GET',
  path: '/v1/monitors',
  summary: 'List monitors, newest first',
  tag: 'Monitors',
  policy: 'monitors.read',
  query: Closed({
    ...pageQuery,
    visual: Type.Optional(
      Type.Boolean({ description: 'true: only monitors with the visual layer; false: only those without.' }),
    ),
  }),
  answers: { 200: { description: 'A page of monitors.', schema: PageOf(Monitor) } },
  async handle({ query, principal, services }) {
    const wanted = { teamId: principal.teamId, visual: query.visual }
    const rows = await listMonitors(services.store, { ...wanted, ...windowOf(query) })
    return ok({
      data: rows.map((stored) => shownMonitor(stored, services)),
      pagination: await paginationOf(query, rows.length, () => countMonitors(services.store, wanted)),
    })
  },
})
