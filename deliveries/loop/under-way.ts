import type { Store } from '../../store/db/client.ts'
import type { ClaimedDelivery } from '../../store/deliveries/claim-deliveries.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { attempt } from './attempt.ts'
import { createAttemptRecorder } from './attempt-recorder.ts'
import type { Channels } from '../channels/channel.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import type { Destinations } from './destinations.ts'
import { finished, isHealthy } from './finished.ts'
import { createHeldLeases } from './held-leases.ts'

/** The claimed deliveries of this process, from their claim to their record. */
interface UnderWay {
  /** Begins the heartbeat of their leases. */
  start(): void
  /** Takes over what was claimed; what is not begun is given back at the end. */
  hold(claimed: ClaimedDelivery): void
  /** Makes the attempt and sees to its record. */
  begin(claimed: ClaimedDelivery): void
  /** Resolves when every attempt that was begun is recorded or cut off. */
  settled(): Promise<void>
  /** Cuts off what is still being sent. */
  cutOff(): void
  /** Gives back what is not recorded. Rejects when the store is away. */
  giveBack(): Promise<void>
  /** Ends all timers. */
  close(): void
}

/** What attempts are made with. */
interface UnderWayPorts {
  readonly store: Store
  readonly secrets: SecretBox
  readonly channels: Channels
  readonly destinations: Destinations
  readonly log: DeliveryLog
  readonly metrics: DeliveryMetrics
  readonly leaseSeconds: number
}

export function createUnderWay(ports: UnderWayPorts): UnderWay {
  const { destinations, log, metrics } = ports
  const ending = new AbortController()
  const recorder = createAttemptRecorder(ports)
  const leases = createHeldLeases(ports)
  const underWay = new Set<Promise<void>>()

  async function deliver(claimed: ClaimedDelivery): Promise<void> {
    const flight = destinations.start(claimed.host)
    metrics.active(destinations.active)
    const startedAt = performance.now()
    const outcome = await attempt(claimed, ports, { signal: ending.signal, log })
    metrics.attempted(claimed.type, outcome, performance.now() - startedAt)
    flight.end(isHealthy(outcome))
    metrics.active(destinations.active)
    // It keeps its lease until it is given back.
    if (outcome.kind === 'aborted') return
    await recorder.add(finished(claimed, outcome))
    leases.drop(claimed)
  }

  return {
    start: leases.start,
    hold: leases.hold,
    begin(claimed) {
      metrics.claimed(claimed.late_ms)
      const delivery = deliver(claimed).finally(() => underWay.delete(delivery))
      underWay.add(delivery)
    },
    settled: async () => void (await Promise.all(underWay)),
    cutOff: () => ending.abort(),
    giveBack: leases.releaseAll,
    close() {
      recorder.close()
      leases.stop()
    },
  }
}
