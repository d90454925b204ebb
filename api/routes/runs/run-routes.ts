import type { Route } from '../../http/route.ts'
import { getRunRoute } from './get-run.ts'
import { getRunImagesRoute } from './get-run-images.ts'
import { listRunDeliveriesRoute } from './list-run-deliveries.ts'
import { replayRunRoute } from './replay-run.ts'

/** Spec, Endpoints, Runs. */
export const runRoutes: readonly Route[] = [getRunRoute, listRunDeliveriesRoute, replayRunRoute, getRunImagesRoute]
