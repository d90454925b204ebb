import type { Store } from '../../store/db/client.ts'
import type { ClaimedDelivery } from '../../store/deliveries/claim-deliveries.ts'
import { heartbeatDeliveries, releaseDeliveries } from '../../store/deliveries/delivery-lease.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import { storeFault } from '../../store/deliveries/delivery-fault.ts'

/** The deliveries that this process has claimed and neither recorded nor given back. */
export interface HeldLeases {
  /** Begins the heartbeat. */
  start(): void
  hold(claimed: ClaimedDelivery): void
  drop(claimed: ClaimedDelivery): void
  /** Gives back all that is held. Rejects when the store is away; then their leases end by themselves. */
  releaseAll(): Promise<void>
  /** Ends the heartbeat. */
  stop(): void
}

/** What the leases are kept with. */
interface HeldLeasesPorts {
  readonly store: Store
  readonly leaseSeconds: number
  readonly log: DeliveryLog
  readonly metrics: DeliveryMetrics
}

/**
 * Extends, each third of a lease, those that are a third old: attempts that take long, and results that wait for the
 * store.
 */
export function createHeldLeases({ store, leaseSeconds, log, metrics }: HeldLeasesPorts): HeldLeases {
  /** Each with the time of its last extension. */
  const held = new Map<ClaimedDelivery, number>()
  const thirdMs = (leaseSeconds * 1000) / 3
  let timer: NodeJS.Timeout | undefined

  async function heartbeat(): Promise<void> {
    const now = performance.now()
    const old = [...held].filter(([, extendedAt]) => now - extendedAt >= thirdMs).map(([claimed]) => claimed)
    if (old.length === 0) return
    try {
      const kept = await heartbeatDeliveries(store, old, leaseSeconds)
      for (const claimed of old) {
        if (!kept.has(claimed.id)) held.delete(claimed)
        else if (held.has(claimed)) held.set(claimed, now)
      }
    } catch (err) {
      metrics.storeFault()
      log.warn({ reason: storeFault(err), deliveries: old.length }, 'the store did not extend the leases of deliveries')
    }
  }

  return {
    start: () => void (timer ??= setInterval(() => void heartbeat(), thirdMs)),
    hold: (claimed) => void held.set(claimed, performance.now()),
    drop: (claimed) => void held.delete(claimed),
    async releaseAll() {
      const left = [...held.keys()]
      if (left.length > 0) await releaseDeliveries(store, left)
      held.clear()
    },
    stop: () => clearInterval(timer),
  }
}
