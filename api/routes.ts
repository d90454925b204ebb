import type { Route } from './route.ts'

/** Every route of the API, by noun. */
export const routes: readonly Route[] = []
