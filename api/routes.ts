import { keyRoutes } from './routes/keys.ts'
import type { Route } from './route.ts'
import { signInRoutes } from './routes/sign-in.ts'

/** Every route of the API, by noun. */
export const routes: readonly Route[] = [...keyRoutes, ...signInRoutes]
