import { DELIVERY_DELAYS_SECONDS, type DeliveryStatus } from '../../schema/run/delivery.ts'

/**
 * The states of a delivery and their transitions.
 *
 *     pending   created by a run that fired, or replayed: its first attempt is due now
 *     failed    with next_attempt_at: an attempt failed and another one is due then
 *               without it: the destination refused it with a 4xx; no attempt follows
 *     success   answered 2xx; final, not replayed
 *     dead      six attempts failed; no attempt follows
 *
 *     from            event                                    to
 *     pending|failed  2xx                                      success
 *     pending|failed  4xx                                      failed, final
 *     pending|failed  3xx, 5xx, anything else, no answer       failed; the schedule's delay after the end
 *                                                              of this attempt, the next one is due
 *                     … on the sixth attempt                   dead
 *     failed|dead     replay                                   pending, attempts 0, due now, same id and payload
 *
 * A redirect is a failed attempt and is never followed. The store does replays
 * (`store/deliveries/replay-deliveries.ts`). A failed delivery that still waits for its next attempt is replayed too,
 * by itself and with its run.
 */

/** The outcome of an attempt. */
type AttemptOutcome = 'success' | 'client_error' | 'redirect' | 'server_error' | 'no_answer'

/** The greatest number of attempts. */
export const MAX_ATTEMPTS = DELIVERY_DELAYS_SECONDS.length

/**
 * Returns the outcome for the status of an answer. 1xx and statuses of no standard count as server errors: they are
 * tried again.
 */
export function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return 'success'
  if (status >= 300 && status < 400) return 'redirect'
  return status >= 400 && status < 500 ? 'client_error' : 'server_error'
}

/** The status of a delivery after each outcome. */
const VERDICT = {
  success: 'success',
  client_error: 'final',
  redirect: 'retry',
  server_error: 'retry',
  no_answer: 'retry',
} as const satisfies Record<AttemptOutcome, 'success' | 'final' | 'retry'>

/** A completed attempt. */
interface Attempted {
  /** The number of attempts, this one included: 1 to 6. */
  readonly attempts: number
  readonly outcome: AttemptOutcome
  /** The end of the attempt, in milliseconds since the epoch. */
  readonly now: number
}

/**
 * The state of a delivery after an attempt; `next_attempt_at` in milliseconds since the epoch, null when none follows.
 */
interface DeliveryState {
  readonly status: DeliveryStatus
  readonly next_attempt_at: number | null
}

/** The state after an attempt, and the seconds from its end to the next one; null when none follows. */
interface AfterAttempt extends DeliveryState {
  readonly retry_after_seconds: number | null
}

const OVER = { next_attempt_at: null, retry_after_seconds: null } as const

/** Returns the state after an attempt. */
export function afterAttempt({ attempts, outcome, now }: Attempted): AfterAttempt {
  const verdict = VERDICT[outcome]
  if (verdict === 'success') return { status: 'success', ...OVER }
  if (verdict === 'final') return { status: 'failed', ...OVER }
  const delay = DELIVERY_DELAYS_SECONDS[attempts]
  if (delay === undefined) return { status: 'dead', ...OVER }
  return { status: 'failed', next_attempt_at: now + delay * 1000, retry_after_seconds: delay }
}
