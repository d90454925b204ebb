import type { Route } from './http/route.ts'
import { deleteAccountRoute } from './routes/account.ts'
import { auditRoutes } from './routes/audit.ts'
import { billingPages, billingRoutes } from './routes/billing.ts'
import { getDeliveryRoute, listDeliveriesRoute, replayDeliveryRoute } from './routes/deliveries.ts'
import { getImageRoute, getRunImagesRoute, listVisualHistoryRoute } from './routes/images.ts'
import { createKeyRoute, deleteKeyRoute, listKeysRoute, rotateKeyRoute } from './routes/keys.ts'
import { PAGES } from './routes/monitor-kind.ts'
import { manifestRoute } from './routes/monitor-manifests.ts'
import { monitorRunsRoute } from './routes/monitor-runs.ts'
import { backtestMonitorRoute, previewMonitorRoute } from './routes/monitor-trials.ts'
import * as monitors from './routes/monitors.ts'
import { openApiRoute } from './routes/openapi.ts'
import { diffRunRoute, getRunRoute, listRunDeliveriesRoute, replayRunRoute } from './routes/runs.ts'
import { editSettingsRoute, getSettingsRoute } from './routes/settings.ts'
import { invitationRoutes } from './routes/invitations.ts'
import { accountPages } from './pages/account-pages.ts'
import { invitationPages } from './pages/invitation-page.ts'
import { manualRoutes } from './manual/manual-routes.ts'
import { serpMonitorRoutes } from './routes/serp-monitors.ts'
import { signInRoutes } from './routes/sign-in.ts'
import { signingSecretRoutes } from './routes/signing-secrets.ts'
import { createFromTemplateRoute, listTemplatesRoute } from './routes/templates.ts'
import { teamRoutes } from './routes/team.ts'
import { getUsageRoute } from './routes/usage.ts'

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
  ...accountPages,
  ...invitationPages,
  ...billingPages,
  ...manualRoutes,
]
