import { countsQuery, OverviewCounts, overviewQuery, OverviewRow } from '../../../schema/overview/overview.ts'
import { PageOf } from '../../../schema/page-of.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { countFailingDestinations } from '../../../store/deliveries/failing-destinations.ts'
import { countMissed } from '../../../store/deliveries/given-up.ts'
import { countErrors, countFilters, countLabels } from '../../../store/overview/overview-counts.ts'
import { countOverview, listOverview } from '../../../store/overview/overview.ts'
import type { OverviewKind } from '../../../store/overview/wanted-monitors.ts'
import { paginationOf, windowOf } from '../../http/page-of-rows.ts'
import { ok, type Route, route } from '../../http/route.ts'
import { overviewRow } from '../../presenters/overview-row.ts'
import { readerOf, wantedOf } from './overview-filters.ts'

const tag = 'Overview'

/** Returns the routes of the list of monitors of these kinds. */
export const overviewRoutes = (kinds: readonly OverviewKind[]): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/overview',
    summary: 'List the monitors of all kinds, as short rows',
    description:
      'Each row has the value now, the last change, and the last numbers. A last change that is older than the plan ' +
      'shows stays as text, without its run. Names are ordered without upper and lower case, and numbers in them as ' +
      'numbers. What was never changed or run is last in every order.',
    tag,
    policy: 'monitors.read',
    query: Closed(overviewQuery),
    answers: { 200: { description: 'A page of monitors.', schema: PageOf(OverviewRow) } },
    beyond: true,
    async handle({ query, principal, services: { store } }) {
      const { page, limit, sort: order = '-last_change', ...filters } = query
      const paged = { ...(page !== undefined && { page }), ...(limit !== undefined && { limit }) }
      const wanted = { reader: readerOf(principal), kinds, wanted: wantedOf(filters) }
      const rows = await listOverview(store, { ...wanted, ...windowOf(paged), order })
      const count = async () => rows[0]?.total ?? countOverview(store, wanted)
      const pagination = await paginationOf(paged, rows.length, count)
      return ok({ data: rows.map(overviewRow), pagination })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/overview/counts',
    summary: 'Count the monitors that each filter of the overview would leave',
    tag,
    policy: 'monitors.read',
    query: Closed(countsQuery),
    answers: { 200: { description: 'The counts.', schema: OverviewCounts } },
    beyond: true,
    async handle({ query, principal, services: { store } }) {
      const {
        count_errors: hasErrors = true,
        count_labels: hasLabels = true,
        count_destinations: hasDestinations = true,
        ...filters
      } = query
      const wanted = { reader: readerOf(principal), kinds, wanted: wantedOf(filters) }
      return ok({
        ...(await countFilters(store, wanted)),
        ...(hasDestinations && {
          failing_destinations: await countFailingDestinations(store, principal.teamId),
          given_up_deliveries: await countMissed(store, principal.teamId),
        }),
        ...(hasErrors && { by_error: await countErrors(store, wanted) }),
        ...(hasLabels && { labels: await countLabels(store, wanted) }),
      })
    },
  }),
]
