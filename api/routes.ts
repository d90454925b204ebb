import { dashboardRoutes } from './dashboard/dashboard-routes.ts'
import type { Route } from './http/route.ts'
import { manualRoutes } from './manual/manual-routes.ts'
import { accountPages } from './pages/account-pages.ts'
import { invitationPages } from './pages/invitation-page.ts'
import { signInPages } from './pages/sign-in-pages.ts'
import { deleteAccountRoute, endSessionRoute, listSessionsRoute } from './routes/accounts/account.ts'
import { auditRoutes } from './routes/accounts/audit.ts'
import { billingPages, billingRoutes } from './routes/accounts/billing.ts'
import { invitationRoutes } from './routes/accounts/invitations.ts'
import { createKeyRoute, deleteKeyRoute, listKeysRoute, rotateKeyRoute } from './routes/accounts/keys.ts'
import { meRoute } from './routes/accounts/me.ts'
import { editSettingsRoute, getSettingsRoute } from './routes/accounts/settings.ts'
import { signInRoutes } from './routes/accounts/sign-in.ts'
import { teamRoutes } from './routes/accounts/team.ts'
import { getUsageDaysRoute, getUsageMonitorsRoute, getUsageRoute } from './routes/accounts/usage.ts'
import {
  countDeliveriesRoute,
  failingDestinationsRoute,
  getDeliveryRoute,
  listDeliveriesRoute,
} from './routes/deliveries.ts'
import { releaseDeliveriesRoute, replayDeliveriesRoute, replayDeliveryRoute } from './routes/delivery-acts.ts'
import { deliveryRequestRoute, testDeliveryRoute } from './routes/delivery-trials.ts'
import { eventsRoute } from './routes/events.ts'
import { getImageRoute, getRunImagesRoute } from './routes/monitors/images.ts'
import { extractLookRoute, lookCandidatesRoute, lookRoute } from './routes/monitors/looks.ts'
import { monitorRoutes } from './routes/monitors/monitor-routes.ts'
import { tryPredicateRoute } from './routes/monitors/predicate-trials.ts'
import { diffRunRoute, getRunRoute, listRunDeliveriesRoute, replayRunRoute } from './routes/monitors/runs.ts'
import { searchEnginesRoute } from './routes/monitors/search-engines.ts'
import type { ServedKind } from './routes/monitors/served-kind.ts'
import { createFromTemplateRoute, listTemplatesRoute } from './routes/monitors/templates.ts'
import { writeMonitorRoute } from './routes/monitors/written-monitors.ts'
import { openApiRoute } from './routes/openapi.ts'
import { changeRoutes } from './routes/overview/changes.ts'
import { matchingMarks } from './routes/overview/matching-marks.ts'
import { matchingMutes } from './routes/overview/matching-mutes.ts'
import { overviewRoutes } from './routes/overview/overview.ts'
import { statusPageRoutes } from './routes/status-pages.ts'

/** Routes about more than the monitors of one kind, in the order of the OpenAPI document. */
const shared: readonly Route[] = [
  listTemplatesRoute,
  createFromTemplateRoute,
  tryPredicateRoute,
  writeMonitorRoute,
  lookRoute,
  extractLookRoute,
  lookCandidatesRoute,
  searchEnginesRoute,
  getRunRoute,
  diffRunRoute,
  listRunDeliveriesRoute,
  replayRunRoute,
  getRunImagesRoute,
  getImageRoute,
  listDeliveriesRoute,
  countDeliveriesRoute,
  failingDestinationsRoute,
  getDeliveryRoute,
  deliveryRequestRoute,
  replayDeliveryRoute,
  replayDeliveriesRoute,
  releaseDeliveriesRoute,
  ...statusPageRoutes,
  listKeysRoute,
  createKeyRoute,
  rotateKeyRoute,
  deleteKeyRoute,
  getUsageRoute,
  getUsageDaysRoute,
  getUsageMonitorsRoute,
  getSettingsRoute,
  editSettingsRoute,
  meRoute,
  ...teamRoutes,
  ...invitationRoutes,
  ...auditRoutes,
  listSessionsRoute,
  endSessionRoute,
  deleteAccountRoute,
  ...billingRoutes,
  ...signInRoutes,
]

/** Returns every route of the API, with those of these kinds of monitor. */
export function routesOf(kinds: readonly ServedKind[]): readonly Route[] {
  const tables = kinds.map(({ kind }) => kind.table)
  const overview = [
    ...overviewRoutes(tables),
    ...matchingMutes(kinds.map(({ kind }) => kind)),
    ...matchingMarks(kinds.map(({ kind }) => kind.table)),
    ...changeRoutes(tables),
    eventsRoute(tables),
  ]
  const trial = testDeliveryRoute(kinds.map(({ kind }) => kind))
  const described = [...kinds.flatMap((served) => monitorRoutes(served)), ...overview, trial, ...shared]
  return [...described, openApiRoute(described)]
}

/**
 * Returns every route that is served: those of the API, and pages. `home` has `/`: the dashboard, or the page
 * in its place.
 */
export const servedRoutesOf = (kinds: readonly ServedKind[], home = dashboardRoutes()): readonly Route[] => [
  ...routesOf(kinds),
  ...home,
  ...accountPages,
  ...signInPages,
  ...invitationPages,
  ...billingPages,
  ...manualRoutes,
]
