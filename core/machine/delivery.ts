import { DELIVERY_DELAYS_SECONDS, type DeliveryStatus } from '../../schema/run/delivery.ts'

/**
 * A delivery.
 *
 *     pending   made by a run that fired, or replayed: its first attempt is due now
 *     failed    with next_attempt_at: an attempt failed and another one is due then
 *               without: the destination refused it with a 4xx; no attempt follows
 *     success   answered 2xx; final, not replayed
 *     dead      six attempts failed; no attempt follows
 *
 *     from            event                                    to
 *     pending|failed  2xx                                      success
 *     pending|failed  4xx                                      failed, final
 *     pending|failed  3xx, 5xx, anything else, no answer       failed, next attempt after the schedule's delay from the end of this one
 *                     … on the sixth attempt                   dead
 *     failed|dead     replay                                   pending, attempts 0, due now, same id and payload
 *
 * A redirect is a failed attempt and never followed. Replays are the store's (`store/deliveries/replay-deliveries.ts`):
 * a failed delivery that still waits for its next attempt may be replayed by hand, but the replay of a whole run takes
 * only those that are done with.
 */

/** What came of an attempt. */
type AttemptOutcome = 'success' | 'client_error' | 'redirect' | 'server_error' | 'no_answer'

/** Attempts in all. */
export const MAX_ATTEMPTS = DELIVERY_DELAYS_SECONDS.length

/**
 * The outcome of an answer by its status. 1xx and what no standard knows count as the server's fault: they are tried
 * again.
 */
export function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return 'success'
  if (status >= 300 && status < 400) return 'redirect'
  return status >= 400 && status < 500 ? 'client_error' : 'server_error'
}

/** What each outcome means. */
const VERDICT = {
  success: 'success',
  client_error: 'final',
  redirect: 'retry',
  server_error: 'retry',
  no_answer: 'retry',
} as const satisfies Record<AttemptOutcome, 'success' | 'final' | 'retry'>

/** An attempt that has ended. */
interface Attempted {
  /** Attempts so far, this one included: 1 to 6. */
  readonly attempts: number
  readonly outcome: AttemptOutcome
  /** When it ended, in milliseconds since the epoch. */
  readonly now: number
}

/**
 * Where a delivery stands after an attempt; `next_attempt_at` in milliseconds since the epoch, null when none follows.
 */
interface DeliveryState {
  readonly status: DeliveryStatus
  readonly next_attempt_at: number | null
}

/** The state after an attempt, and the seconds from its end to the next one: null when none follows. */
interface AfterAttempt extends DeliveryState {
  readonly retry_after_seconds: number | null
}

const OVER = { next_attempt_at: null, retry_after_seconds: null } as const

/** The state after an attempt. */
export function afterAttempt({ attempts, outcome, now }: Attempted): AfterAttempt {
  const verdict = VERDICT[outcome]
  if (verdict === 'success') return { status: 'success', ...OVER }
  if (verdict === 'final') return { status: 'failed', ...OVER }
  const delay = DELIVERY_DELAYS_SECONDS[attempts]
  if (delay === undefined) return { status: 'dead', ...OVER }
  return { status: 'failed', next_attempt_at: now + delay * 1000, retry_after_seconds: delay }
}
