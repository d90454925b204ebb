import Type, { type Static } from 'typebox'
import { DELIVERY_TYPES } from '../monitor/delivery-config.ts'
import { Diff } from './run.ts'
import { Choice, Closed, Instant, JsonObject, Nullable, Text, Uuid } from '../shape/shape.ts'

/** The status of a delivery. `core/machine/delivery.ts` describes the transitions. */
export const DELIVERY_STATUSES = ['pending', 'success', 'failed', 'dead'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** The API version, in every payload and in the header `Service-Version`. */
export const API_VERSION = '2026-05-01'

/** The payload of a webhook for a page monitor. The keys are sent in this order. */
export const DeliveryPayload = Closed({
  id: Uuid('Id of the delivery. It is the same on every attempt and replay, so that a receiver can drop duplicates.'),
  version: Type.Literal(API_VERSION),
  monitor_id: Uuid(),
  run_id: Uuid(),
  fired_at: Instant(),
  diff: Diff,
  monitor: Closed({ url: Text(1, 2048), name: Text(1, 200) }),
})
export type DeliveryPayload = Static<typeof DeliveryPayload>

/** One message to one destination, with its attempts. */
export const Delivery = Closed({
  id: Uuid(),
  monitor_id: Uuid(),
  user_id: Uuid(),
  run_id: Uuid(),
  delivery_type: Choice(DELIVERY_TYPES),
  destination: Text(0, 2048),
  payload: JsonObject(),
  status: Choice(DELIVERY_STATUSES),
  attempts: Type.Integer({ minimum: 0 }),
  last_attempt_at: Nullable(Instant()),
  next_attempt_at: Nullable(Instant()),
  response_status: Nullable(Type.Integer()),
  response_body: Nullable(
    Type.String({
      description: 'At most 4,096 characters that are safe to show. If there was no response: the error.',
    }),
  ),
  created_at: Instant(),
})
export type Delivery = Static<typeof Delivery>

/** Seconds before attempts 1 to 6, each counted from the end of the previous attempt. */
export const DELIVERY_DELAYS_SECONDS = [0, 300, 900, 1800, 3600, 7200] as const
/** The destination must answer within this time. */
export const DELIVERY_TIMEOUT_MS = 15_000
