import { createLeaseKeeper, type LeaseKeeper } from '../../concurrency/lease-keeper.ts'
import type { Store } from '../../store/db/client.ts'
import type { ClaimedDelivery } from '../../store/deliveries/claim-deliveries.ts'
import { storeFault } from '../../store/deliveries/delivery-fault.ts'
import { heartbeatDeliveries, releaseDeliveries } from '../../store/deliveries/delivery-lease.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'

/** The options and ports of the lease keeper. */
interface HeldDeliveriesPorts {
  readonly store: Store
  readonly leaseSeconds: number
  readonly log: DeliveryLog
  readonly metrics: DeliveryMetrics
}

/** The deliveries that this process has claimed and has neither recorded nor given back. */
export function createHeldDeliveries(ports: HeldDeliveriesPorts): LeaseKeeper<ClaimedDelivery> {
  const { store, leaseSeconds, log, metrics } = ports
  return createLeaseKeeper({
    leaseMs: leaseSeconds * 1000,
    keyOf: ({ id }: ClaimedDelivery) => id,
    extend: (held) => heartbeatDeliveries(store, held, leaseSeconds),
    release: (held) => releaseDeliveries(store, held),
    onFault(error, doing) {
      metrics.storeFault()
      const text = { extend: 'the store did not extend the leases of', release: 'the store did not take back' }[doing]
      log.warn({ reason: storeFault(error) }, `${text} deliveries`)
    },
  })
}
