import { createBatchWriter } from '../../concurrency/batches/batch-writer.ts'
import { heldUntil } from '../../core/hold/held-until.ts'
import { afterAttempt, outcomeOf } from '../../core/machine/delivery.ts'
import type { QuietHours } from '../../schema/monitor/quiet-hours.ts'
import type { Store } from '../../store/db/client.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { isDataFault, storeFault } from '../../store/deliveries/delivery-fault.ts'
import type { Outbox } from '../../store/deliveries/delivery-lease.ts'
import { recordAttempts, type AttemptRecord, type ClaimedDelivery } from '../../store/deliveries/delivery-queue.ts'
import type { AttemptOutcome } from '../channels/channel.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'

/** A finished attempt that is to be recorded. */
export type FinishedAttempt = Omit<AttemptRecord, 'ended_ago_ms'>

/** Records finished attempts in batches. */
interface AttemptRecorder {
  /**
   * Resolves when the store has recorded it, or when it is certain that it never will. Rejects when `close` gave it up.
   */
  add(attempt: FinishedAttempt): Promise<void>
  /**
   * Stops retrying: results that are not recorded yet are given up, and their deliveries are sent again after their
   * leases end.
   */
  close(): void
}

/** The options and ports of the recorder. */
interface RecorderPorts {
  readonly store: Store
  readonly outbox: Outbox
  readonly log: DeliveryLog
  readonly metrics: DeliveryMetrics
}

interface Ended {
  readonly attempt: FinishedAttempt
  readonly endedAt: number
}

/** Attempts that end within 10 ms are recorded in one statement. */
const BATCHES = { maxItems: 500, maxWaitMs: 10, parallel: 1 }

/**
 * While the store is away, results are kept in memory and the loop's heartbeat keeps their leases. They are recorded
 * when the store is back. A row that the store refuses does not fail the others.
 */
export function createAttemptRecorder({ store, outbox, log, metrics }: RecorderPorts): AttemptRecorder {
  const closing = new AbortController()
  const writer = createBatchWriter<Ended>({
    ...BATCHES,
    async write(batch) {
      const taken = await recordAttempts(store, batch.map(toRecord), outbox)
      metrics.recorded(taken.size, batch.length - taken.size)
    },
    patienceMs: Infinity,
    signal: closing.signal,
    isRetryable: (error) => !isDataFault(error),
    onRetry(error) {
      metrics.storeFault()
      if (storeOutage(log).covers(error, 'results of deliveries')) return
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

/** An outcome that counts as an attempt. */
export type Counted = Exclude<AttemptOutcome, { kind: 'aborted' }>

/** When an attempt ended after its claim, and when no other one may be made. */
interface Around {
  readonly tookMs: number
  readonly quietHours?: QuietHours | undefined
}

/**
 * Returns the record of an attempt, by the rules of `core/machine/delivery.ts`. A next one that would fall into quiet
 * hours waits for their end.
 */
export function finished(
  { id, fence, attempts, claimed_ms: claimedMs, is_digest: isDigest }: ClaimedDelivery,
  outcome: Counted,
  { quietHours, tookMs }: Around = { tookMs: 0 },
): FinishedAttempt {
  const attempt = { id, fence, is_digest: isDigest, ...afterOutcome(attempts + 1, outcome) }
  if (attempt.retry_after_seconds === null || quietHours === undefined) return attempt
  const endedMs = claimedMs + tookMs
  const hold = heldUntil({ quiet_hours: quietHours }, {}, endedMs + attempt.retry_after_seconds * 1000)
  const untilMs = hold?.untilMs ?? null
  return untilMs === null ? attempt : { ...attempt, retry_after_seconds: Math.ceil((untilMs - endedMs) / 1000) }
}

/** Returns what an attempt leads to. `attempts`: how many there were, this one included. */
export function afterOutcome(attempts: number, outcome: Counted): Omit<FinishedAttempt, 'id' | 'fence'> {
  // The delay counts from the end of the attempt; the store knows that time.
  const next = afterAttempt({ attempts, outcome: eventOf(outcome), now: 0 })
  return {
    status: next.status,
    attempts,
    retry_after_seconds: next.next_attempt_at === null ? null : next.next_attempt_at / 1000,
    response_status: outcome.kind === 'answered' ? outcome.status : null,
    response_body: outcome.kind === 'answered' ? outcome.body : outcome.message,
  }
}

function eventOf(outcome: Counted): Parameters<typeof afterAttempt>[0]['outcome'] {
  if (outcome.kind === 'answered') return outcome.verdict ?? outcomeOf(outcome.status)
  // A delivery that cannot be sent is final, like one that the destination refused.
  return outcome.kind === 'impossible' ? 'client_error' : 'no_answer'
}

/** Returns whether the destination's response allows more attempts at a time. */
export function isHealthy(outcome: AttemptOutcome): boolean {
  if (outcome.kind !== 'answered') return false
  if (outcome.verdict !== undefined) return outcome.verdict !== 'server_error'
  return outcome.status < 500 && outcome.status !== 429
}
