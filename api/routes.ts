import type { Route } from './route.ts'
import { keyRoutes } from './routes/keys.ts'
import { openApiRoute } from './routes/openapi.ts'
import { signInRoutes } from './routes/sign-in.ts'

const nouns: readonly Route[] = [...keyRoutes, ...signInRoutes]

/** Every route of the API, by noun. */
export const routes: readonly Route[] = [...nouns, openApiRoute(nouns)]
