import type { NotHeld } from '../../deliveries/release-held.ts'
import type { OtherCount } from '../../deliveries/replay-many.ts'
import type { NotReplayable } from '../../deliveries/replay.ts'
import { MAX_REPLAYED } from '../../schema/run/delivery-replay.ts'
import { apiError, type ApiError } from './api-error.ts'

/** Returns the error that answers what cannot be done with a delivery, or with those of a filter. */
export const deliveryRefusal = (refusal: NotHeld | NotReplayable | OtherCount): ApiError =>
  apiError('CONFLICT', messageOf(refusal))

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
    default:
      return refusal.count === null
        ? `The filter leaves more than ${MAX_REPLAYED} deliveries: narrow it, and send them again in parts.`
        : `The filter leaves ${refusal.count} failed or dead deliveries and not ${refusal.expected}: read the list.`
  }
}
