import type { DeliveryMetrics } from '../../../deliveries/loop/delivery-metrics.ts'

/** Measures nothing. */
export const NO_METRICS: DeliveryMetrics = {
  claimed: () => {},
  attempted: () => {},
  active: () => {},
  recorded: () => {},
  storeFault: () => {},
  gaveUp: () => {},
}
