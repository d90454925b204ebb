import type { Route } from '../../http/route.ts'
import { getDeliveryRoute } from './get-delivery.ts'
import { listDeliveriesRoute } from './list-deliveries.ts'
import { replayDeliveryRoute } from './replay-delivery.ts'

/** Spec, Endpoints, Deliveries. */
export const deliveryRoutes: readonly Route[] = [listDeliveriesRoute, getDeliveryRoute, replayDeliveryRoute]
