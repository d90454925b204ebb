import Type, { type Static } from 'typebox'
import { Choice, Closed, Uuid, Whole } from '../shape/shape.ts'
import { deliveryFilters } from './delivery-list.ts'
import { MAX_RELEASED, DeliveryResult } from './delivery-release.ts'

/** Most deliveries that a filter may leave, to be sent again by one request. */
export const MAX_REPLAYED = 10_000
/** So many are sent again in one transaction. */
export const REPLAY_BATCH = 500

const { status: _, held: __, ...filters } = deliveryFilters

/** Body of `POST /v1/deliveries/replay`: ids, or a filter with the number of deliveries that it leaves. */
export const DeliveriesReplay = Closed(
  {
    ids: Type.Optional(
      Type.Array(Uuid(), { minItems: 1, maxItems: MAX_RELEASED, description: 'A repeated id is processed once.' }),
    ),
    filter: Type.Optional(
      Closed(
        { status: Type.Optional(Choice(['failed', 'dead'])), ...filters },
        { description: 'As of `GET /v1/deliveries`. Only failed and dead deliveries are sent again.' },
      ),
    ),
    expected: Type.Optional(
      Whole(1, MAX_REPLAYED, {
        description: 'How many failed and dead deliveries `filter` leaves. Another number is a CONFLICT.',
      }),
    ),
  },
  { rules: ['ids_or_filter'] },
)
export type DeliveriesReplay = Static<typeof DeliveriesReplay>

/** Response of `POST /v1/deliveries/replay`. */
export const DeliveriesReplayed = Closed({
  queued: Type.Integer({ minimum: 0, description: 'How many are due now, with all their attempts.' }),
  failed: Type.Integer({ minimum: 0, description: 'How many are not, because they were not failed or dead any more.' }),
  results: Type.Array(DeliveryResult, {
    maxItems: MAX_RELEASED,
    description: 'One result for each of `ids`, in the order of first occurrence. Empty for a filter.',
  }),
})
export type DeliveriesReplayed = Static<typeof DeliveriesReplayed>
