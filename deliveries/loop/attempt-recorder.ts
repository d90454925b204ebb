import { createBatchWriter } from '../../concurrency/batch-writer.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { Store } from '../../store/db/client.ts'
import { recordAttempts, type AttemptRecord } from '../../store/deliveries/record-attempts.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import { isDataFault, storeFault } from '../../store/deliveries/delivery-fault.ts'

/** A finished attempt on its way into the store. */
export type FinishedAttempt = Omit<AttemptRecord, 'ended_ago_ms'>

/** Writes finished attempts in groups. */
interface AttemptRecorder {
  /**
   * Resolves when the store has taken it, or when it is certain that it never will. Rejects when it was given up by
   * `close`.
   */
  add(attempt: FinishedAttempt): Promise<void>
  /** Tries no longer: what has not been written is given up, and sent again after its lease. */
  close(): void
}

/** What the recorder works with. */
interface RecorderPorts {
  readonly store: Store
  readonly log: DeliveryLog
  readonly metrics: DeliveryMetrics
}

interface Ended {
  readonly attempt: FinishedAttempt
  readonly endedAt: number
}

/** Attempts that end within 10 ms are one statement. */
const BATCHES = { maxItems: 500, maxWaitMs: 10, parallel: 1 }

/**
 * While the store is away attempts are kept (their leases too, by the loop's heartbeat) and written when it is back. A
 * row that the store refuses does not take the others with it.
 */
export function createAttemptRecorder({ store, log, metrics }: RecorderPorts): AttemptRecorder {
  const closing = new AbortController()
  const writer = createBatchWriter<Ended>({
    ...BATCHES,
    async write(batch) {
      const taken = await recordAttempts(store, batch.map(toRecord))
      metrics.recorded(taken.size, batch.length - taken.size)
    },
    patienceMs: Infinity,
    signal: closing.signal,
    isRetryable: (error) => !isDataFault(error),
    onRetry(error) {
      metrics.storeFault()
      log.warn({ reason: storeFault(error) }, 'the store did not take the results of deliveries; trying again')
    },
    async giveUp({ attempt }, error) {
      const text = 'the store refuses the result of a delivery; it will be sent again'
      log.error({ reason: storeFault(error), delivery_id: attempt.id }, text)
    },
  })
  return {
    add: (attempt) => writer.add({ attempt, endedAt: performance.now() }),
    close: () => closing.abort(),
  }
}

function toRecord({ attempt, endedAt }: Ended): AttemptRecord {
  return { ...attempt, ended_ago_ms: performance.now() - endedAt }
}
