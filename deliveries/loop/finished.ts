import { afterAttempt, outcomeOf } from '../../core/machine/delivery.ts'
import type { ClaimedDelivery } from '../../store/deliveries/claim-deliveries.ts'
import type { FinishedAttempt } from './attempt-recorder.ts'
import type { AttemptOutcome } from '../channels/channel.ts'

/** An outcome that counts as an attempt. */
export type Counted = Exclude<AttemptOutcome, { kind: 'aborted' }>

/** Returns the record of an attempt, by the rules of `core/machine/delivery.ts`. */
export function finished(claimed: ClaimedDelivery, outcome: Counted): FinishedAttempt {
  const attempts = claimed.attempts + 1
  // The delay counts from the end of the attempt; the store knows that time.
  const next = afterAttempt({ attempts, outcome: eventOf(outcome), now: 0 })
  return {
    id: claimed.id,
    fence: claimed.fence,
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
