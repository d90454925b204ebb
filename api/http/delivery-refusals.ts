import type { OtherCount } from '../../core/outcome.ts'
import type { NotHeld } from '../../deliveries/release-held.ts'
import type { NotReplayable } from '../../deliveries/replay.ts'
import { apiError, type ApiError } from './api-error.ts'

/** Returns the error that answers what cannot be done with a delivery, or with what a filter leaves. */
export const deliveryRefusal = (refusal: NotHeld | NotReplayable | OtherCount): ApiError =>
  apiError('CONFLICT', messageOf(refusal))

const NOUNS = { 'failed or dead deliveries': 'failed or dead delivery', monitors: 'monitor' } as const

function messageOf(refusal: NotHeld | NotReplayable | OtherCount): string {
  switch (refusal.kind) {
    case 'not_held': {
      const now = refusal.status === 'pending' ? 'being sent' : refusal.status
      return `It does not wait for a later hour: it is ${now}.`
    }
    case 'not_replayable': {
      const why = refusal.status === 'success' ? 'It was delivered' : 'It is still waiting to be sent'
      return `${why}: only a failed or dead delivery can be sent again.`
    }
    default: {
      const { what, count, expected, most } = refusal
      return count > most
        ? `The filter leaves more than ${most} ${what}: narrow it, and do it in parts.`
        : `The filter leaves ${count === 0 ? 'no' : count} ${count === 1 ? NOUNS[what] : what} and not ${expected}.`
    }
  }
}
