import { setTimeout as pause } from 'node:timers/promises'
import type { DeliveryLog } from './delivery-log.ts'
import type { Store } from '../../store/db/client.ts'
import { recordAttempts, type AttemptRecord } from '../../store/deliveries/record-attempts.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import { isDataFault, storeFault } from '../../store/deliveries/delivery-fault.ts'

/** A finished attempt on its way into the store. */
export type FinishedAttempt = Omit<AttemptRecord, 'ended_ago_ms'>

/** Writes finished attempts in groups. */
interface AttemptRecorder {
  /** Resolves when the store has taken it, or when it is certain that it never will. Never rejects. */
  add(attempt: FinishedAttempt): Promise<void>
  /** Tries no longer: what has not been written is given up, and sent again after its lease. */
  close(): void
}

interface Waiting {
  readonly attempt: FinishedAttempt
  readonly endedAt: number
  readonly settle: () => void
}

/** How long an attempt may wait for others to be written with. */
const WINDOW_MS = 10
const MOST_AT_ONCE = 500
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

/** What the recorder works with. */
interface RecorderPorts {
  readonly store: Store
  readonly log: DeliveryLog
  readonly metrics: DeliveryMetrics
}

/**
 * Group commit: attempts that end within 10 ms are one statement. While the store is away they are kept (their leases
 * too, by the loop's heartbeat) and written when it is back. A row that the store refuses does not take the others with
 * it.
 */
export function createAttemptRecorder({ store, log, metrics }: RecorderPorts): AttemptRecorder {
  const waiting: Waiting[] = []
  const closing = new AbortController()
  let isWriting = false

  async function writeAll(): Promise<void> {
    await pause(WINDOW_MS)
    let pauseMs = FIRST_PAUSE_MS
    while (waiting.length > 0 && !closing.signal.aborted) {
      const batch = waiting.splice(0, MOST_AT_ONCE)
      try {
        await write(batch)
        pauseMs = FIRST_PAUSE_MS
      } catch (err) {
        waiting.unshift(...batch)
        metrics.storeFault()
        log.warn(
          { reason: storeFault(err), attempts: waiting.length },
          'the store did not take the results of deliveries; trying again',
        )
        await pause(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
      }
    }
    isWriting = false
  }

  /** Throws when the store is away. */
  async function write(batch: readonly Waiting[]): Promise<void> {
    try {
      const taken = await recordAttempts(store, batch.map(toRecord))
      metrics.recorded(taken.size, batch.length - taken.size)
      for (const { settle } of batch) settle()
    } catch (err) {
      if (!isDataFault(err)) throw err
      const [only] = batch
      if (only === undefined || batch.length > 1) {
        await writeEach(batch)
        return
      }
      log.error(
        { reason: storeFault(err), delivery_id: only.attempt.id },
        'the store refuses the result of a delivery; it will be sent again',
      )
      only.settle()
    }
  }

  async function writeEach(batch: readonly Waiting[]): Promise<void> {
    for (const one of batch) await write([one])
  }

  return {
    add(attempt) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ attempt, endedAt: performance.now(), settle: resolve })
      if (!isWriting) {
        isWriting = true
        void writeAll()
      }
      return promise
    },
    close() {
      closing.abort()
      for (const { settle } of waiting) settle()
    },
  }
}

function toRecord({ attempt, endedAt }: Waiting): AttemptRecord {
  return { ...attempt, ended_ago_ms: performance.now() - endedAt }
}
