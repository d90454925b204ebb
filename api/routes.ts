import type { Route } from './http/route.ts'
import { deliveryRoutes } from './routes/deliveries/delivery-routes.ts'
import { getImageRoute } from './routes/images/get-image.ts'
import { keyRoutes } from './routes/keys.ts'
import { monitorRoutes } from './routes/monitors/monitor-routes.ts'
import { openApiRoute } from './routes/openapi.ts'
import { runRoutes } from './routes/runs/run-routes.ts'
import { settingsRoutes } from './routes/settings/settings-routes.ts'
import { signInRoutes } from './routes/sign-in.ts'
import { templateRoutes } from './routes/templates/template-routes.ts'
import { getUsageRoute } from './routes/usage/get-usage.ts'

const nouns: readonly Route[] = [
  ...monitorRoutes,
  ...templateRoutes,
  ...runRoutes,
  getImageRoute,
  ...deliveryRoutes,
  ...keyRoutes,
  getUsageRoute,
  ...settingsRoutes,
  ...signInRoutes,
]

/** Every route of the API, by noun. */
export const routes: readonly Route[] = [...nouns, openApiRoute(nouns)]
