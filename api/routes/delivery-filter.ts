import type { DeliveryFilters } from '../../schema/run/delivery-list.ts'
import type { DeliveryFilter } from '../../store/deliveries/delivery-filter.ts'
import { forbidden, permits } from '../auth/policies.ts'
import type { Principal } from '../auth/principals.ts'

/** Returns the filter of a request, as the store takes it. Throws where the caller may not filter so. */
export function filterOf(principal: Principal, filters: DeliveryFilters): DeliveryFilter {
  const { teamId } = principal
  // A mark would confirm a guess of an address, which is masked for who may not write.
  if (filters.destination !== undefined && !permits('monitors.write', principal))
    throw forbidden('Your role or key does not allow you to filter by a destination', 'monitors.write')
  const { monitor_id: monitorId, given_up: givenUp, ...same } = filters
  return { teamId, monitorId, givenUp, ...same }
}
