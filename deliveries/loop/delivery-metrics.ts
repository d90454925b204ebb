import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { DeliveryType } from '../../schema/monitor/delivery-config.ts'
import type { AttemptOutcome } from '../channels/channel.ts'

/** The events that the delivery loop reports to the metrics. */
export interface DeliveryMetrics {
  /** A delivery was claimed this long after it was due. */
  claimed(lateMs: number): void
  attempted(type: DeliveryType, outcome: AttemptOutcome, durationMs: number): void
  /** Running attempts. */
  active(count: number): void
  /** `stale`: results that came after their lease ended, and changed nothing. */
  recorded(taken: number, stale: number): void
  storeFault(): void
  /** No attempt follows, and it was not taken. `kind`: of a notice or a mail to an account. */
  gaveUp(kind: string): void
}

/**
 * Prometheus metrics of a delivery loop. `what` it sends is part of their names: `tidemark_delivery_attempts_total`.
 * Labels are few and have a fixed set of values: never an address or an id.
 */
export function createDeliveryMetrics(registry: Registry, what: 'delivery' | 'notice' = 'delivery'): DeliveryMetrics {
  const registers = [registry]
  const ofWhat = { delivery: 'deliveries', notice: 'notices' }[what]
  const lateness = new Histogram({
    name: `tidemark_${what}_lateness_seconds`,
    help: 'From the time an attempt was due to its claim.',
    buckets: [0.05, 0.25, 1, 2.5, 5, 10, 30, 60, 300, 1800],
    registers,
  })
  const duration = new Histogram({
    name: `tidemark_${what}_duration_seconds`,
    help: 'One attempt.',
    labelNames: ['type'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  })
  const attempts = new Counter({
    name: `tidemark_${what}_attempts_total`,
    help: 'Attempts by type of destination and outcome: 2xx to 5xx, no_answer, impossible, aborted.',
    labelNames: ['type', 'outcome'],
    registers,
  })
  const active = new Gauge({
    name: `tidemark_${ofWhat}_active`,
    help: 'Attempts under way in this process.',
    registers,
  })
  const stale = new Counter({
    name: `tidemark_${what}_stale_results_total`,
    help: 'Results that came after their lease, and changed nothing.',
    registers,
  })
  const faults = new Counter({
    name: `tidemark_${what}_store_faults_total`,
    help: `Claims, heartbeats and records of ${ofWhat} that the store did not answer.`,
    registers,
  })
  const givenUp = new Counter({
    name: `tidemark_${ofWhat}_given_up_total`,
    help: 'Messages that were refused for good, or that six attempts did not deliver, by kind.',
    labelNames: ['kind'],
    registers,
  })
  return {
    claimed: (lateMs) => lateness.observe(Math.max(0, lateMs) / 1000),
    attempted(type, outcome, durationMs) {
      const label = outcome.kind === 'answered' ? `${Math.floor(outcome.status / 100)}xx` : outcome.kind
      attempts.inc({ type, outcome: label })
      duration.observe({ type }, durationMs / 1000)
    },
    active: (count) => active.set(count),
    recorded: (_, late) => stale.inc(late),
    storeFault: () => faults.inc(),
    gaveUp: (kind) => givenUp.inc({ kind }),
  }
}
