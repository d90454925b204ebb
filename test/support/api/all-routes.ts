import { routesOf, servedRoutesOf } from '../../../api/routes.ts'
import { SERVED_KINDS } from '../../../boot/kinds.ts'

/** Every route of the API. */
export const routes = routesOf(SERVED_KINDS)

/** Every route that is served. */
export const servedRoutes = servedRoutesOf(SERVED_KINDS)
