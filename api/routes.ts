import type { Route } from './route.ts'
import { deliveryRoutes } from './routes/deliveries/delivery-routes.ts'
import { keyRoutes } from './routes/keys.ts'
import { monitorRoutes } from './routes/monitors/monitor-routes.ts'
import { openApiRoute } from './routes/openapi.ts'
import { runRoutes } from './routes/runs/run-routes.ts'
import { signInRoutes } from './routes/sign-in.ts'

const nouns: readonly Route[] = [...monitorRoutes, ...runRoutes, ...deliveryRoutes, ...keyRoutes, ...signInRoutes]

/** Every route of the API, by noun. */
export const routes: readonly Route[] = [...nouns, openApiRoute(nouns)]
