import type { DeliveryFilters } from '../../schema/run/delivery-list.ts'
import type { DeliveryFilter } from '../../store/deliveries/delivery-filter.ts'
import type { Principal } from '../auth/principals.ts'

/** Returns the filter of a request, as the store takes it. */
export function filterOf({ teamId }: Principal, filters: DeliveryFilters): DeliveryFilter {
  const { monitor_id: monitorId, given_up: givenUp, ...same } = filters
  return { teamId, monitorId, givenUp, ...same }
}
