import Type from 'typebox'
import { Monitor } from '../../../schema/monitor.ts'
import { PageOf, pageQuery } from '../../../schema/page-of.ts'
import { Closed } from '../../../schema/shape.ts'
import { toMonitor } from '../../../store/monitor-record.ts'
import { countMonitors, listMonitors } from '../../../store/monitors.ts'
import { ok, route } from '../../route.ts'
import { paginationOf, windowOf } from '../page-of-rows.ts'

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
  async handle({ query, principal, services: { store, secrets } }) {
    const wanted = { teamId: principal.teamId, visual: query.visual }
    const rows = await listMonitors(store, { ...wanted, ...windowOf(query) })
    return ok({
      data: rows.map((stored) => toMonitor(stored, secrets)),
      pagination: await paginationOf(query, rows.length, () => countMonitors(store, wanted)),
    })
  },
})
