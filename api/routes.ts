import type { Route } from './http/route.ts'
import { deleteAccountRoute } from './routes/accounts/account.ts'
import { auditRoutes } from './routes/accounts/audit.ts'
import { billingPages, billingRoutes } from './routes/accounts/billing.ts'
import { getDeliveryRoute, listDeliveriesRoute, replayDeliveryRoute } from './routes/deliveries.ts'
import { getImageRoute, getRunImagesRoute, listVisualHistoryRoute } from './routes/monitors/images.ts'
import { createKeyRoute, deleteKeyRoute, listKeysRoute, rotateKeyRoute } from './routes/accounts/keys.ts'
import { PAGES } from './routes/monitors/monitor-kind.ts'
import { manifestRoute } from './routes/monitors/monitor-manifests.ts'
import { monitorRunsRoute } from './routes/monitors/monitor-runs.ts'
import { backtestMonitorRoute, previewMonitorRoute } from './routes/monitors/monitor-trials.ts'
import * as monitors from './routes/monitors/monitors.ts'
import { openApiRoute } from './routes/openapi.ts'
import { diffRunRoute, getRunRoute, listRunDeliveriesRoute, replayRunRoute } from './routes/monitors/runs.ts'
import { editSettingsRoute, getSettingsRoute } from './routes/accounts/settings.ts'
import { invitationRoutes } from './routes/accounts/invitations.ts'
import { accountPages } from './pages/account-pages.ts'
import { welcomePage } from './pages/welcome-page.ts'
import { invitationPages } from './pages/invitation-page.ts'
import { manualRoutes } from './manual/manual-routes.ts'
import { serpMonitorRoutes } from './routes/monitors/serp-monitors.ts'
import { signInRoutes } from './routes/accounts/sign-in.ts'
import { signingSecretRoutes } from './routes/monitors/signing-secrets.ts'
import { createFromTemplateRoute, listTemplatesRoute } from './routes/monitors/templates.ts'
import { teamRoutes } from './routes/accounts/team.ts'
import { getUsageRoute } from './routes/accounts/usage.ts'

/** In the order of the OpenAPI document. */
const described: readonly Route[] = [
  monitors.listMonitorsRoute,
  monitors.createMonitorRoute,
  previewMonitorRoute,
  monitors.getMonitorRoute,
  monitors.editMonitorRoute,
  monitors.deleteMonitorRoute,
  monitors.pauseMonitorRoute,
  monitors.resumeMonitorRoute,
  monitors.runMonitorRoute,
  monitors.bulkMonitorsRoute,
  monitorRunsRoute(PAGES),
  listVisualHistoryRoute,
  backtestMonitorRoute,
  manifestRoute(PAGES),
  ...signingSecretRoutes(PAGES),
  ...serpMonitorRoutes,
  listTemplatesRoute,
  createFromTemplateRoute,
  getRunRoute,
  diffRunRoute,
  listRunDeliveriesRoute,
  replayRunRoute,
  getRunImagesRoute,
  getImageRoute,
  listDeliveriesRoute,
  getDeliveryRoute,
  replayDeliveryRoute,
  listKeysRoute,
  createKeyRoute,
  rotateKeyRoute,
  deleteKeyRoute,
  getUsageRoute,
  getSettingsRoute,
  editSettingsRoute,
  ...teamRoutes,
  ...invitationRoutes,
  ...auditRoutes,
  deleteAccountRoute,
  ...billingRoutes,
  ...signInRoutes,
]

/** Every route of the API. */
export const routes: readonly Route[] = [...described, openApiRoute(described)]

/** Every route that is served: those of the API, and pages. */
export const servedRoutes: readonly Route[] = [
  ...routes,
  welcomePage,
  ...accountPages,
  ...invitationPages,
  ...billingPages,
  ...manualRoutes,
]
