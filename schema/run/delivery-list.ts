import Type, { type Static } from 'typebox'
import { DELIVERY_TYPES } from '../monitor/delivery-config.ts'
import { SERVICE_NAMES } from '../monitor/delivery-services.ts'
import { ofMonitorQuery } from '../monitor/monitor.ts'
import { MONITOR_KINDS } from '../resource-kind.ts'
import { Choice, Closed, Instant, Nullable, Text, Uuid, Whole } from '../shape/shape.ts'
import { DELIVERY_STATUSES } from './delivery.ts'

const beyond = (description: string) => `Beyond the contract: ${description}`

/** What narrows the list of deliveries, its counts, and what is sent again. */
export const deliveryFilters = {
  status: Type.Optional(Choice(DELIVERY_STATUSES)),
  given_up: Type.Optional(
    Type.Boolean({
      description: beyond(
        'true: only deliveries that are dead, or failed without a next attempt; false: only the others.',
      ),
    }),
  ),
  missed: Type.Optional(
    Type.Boolean({
      description: beyond(
        'true: only deliveries that were given up and whose destination is still one of their monitor; false: only ' +
          'the others.',
      ),
    }),
  ),
  ...ofMonitorQuery,
  held: Type.Optional(
    Type.Boolean({ description: beyond('true: only deliveries that wait for a later hour; false: only the others.') }),
  ),
  type: Type.Optional(Choice(DELIVERY_TYPES, { description: beyond('only of this `delivery_type`.') })),
  service: Type.Optional(Choice(SERVICE_NAMES, { description: beyond('only webhooks with this `service`.') })),
  destination: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{16}$',
      maxLength: 16,
      description: beyond(
        'only to this destination: the `destination_key` of a delivery, or the `key` in ' +
          '`GET /v1/deliveries/destinations`.',
      ),
    }),
  ),
  q: Type.Optional(
    Text(1, 200, beyond("a part of the monitor's name or of the destination's host. Case does not matter.")),
  ),
  from: Type.Optional(Instant(beyond('only deliveries made at this time or later.'))),
  to: Type.Optional(Instant(beyond('only deliveries made before this time.'))),
}

const DeliveryFilters = Closed(deliveryFilters)
export type DeliveryFilters = Static<typeof DeliveryFilters>

const Count = Type.Integer({ minimum: 0 })

/** Response of `GET /v1/deliveries/counts`: how many deliveries the filters leave. */
export const DeliveryCounts = Closed({
  total: Count,
  pending: Type.Integer({ minimum: 0, description: 'They wait for an attempt, those of `held` included.' }),
  success: Count,
  failed: Count,
  dead: Count,
  given_up: Type.Integer({ minimum: 0, description: 'Those of `failed` and `dead` that are not tried again.' }),
  missed: Type.Integer({
    minimum: 0,
    description: 'Those of `given_up` whose destination is still one of their monitor.',
  }),
  held: Type.Integer({ minimum: 0, description: 'Those of `pending` that wait for a later hour.' }),
})
export type DeliveryCounts = Static<typeof DeliveryCounts>

/** How many destinations, and monitors of one, the list of destinations has. */
export const DESTINATION_LIMITS = { destinations: 100, monitors: 20 } as const

/** A destination that takes no deliveries of one or more monitors: the last one was given up. */
export const FailingDestination = Closed({
  key: Type.Optional(
    Type.String({
      maxLength: 16,
      description: 'A mark of the destination, for the filter `destination`. Absent for who sees no addresses.',
    }),
  ),
  delivery_type: Choice(DELIVERY_TYPES),
  service: Type.Optional(Choice(SERVICE_NAMES)),
  destination: Text(0, 2048, 'The address. Empty: its deliveries are not stored any more.'),
  since: Instant('When the first of these deliveries was given up.'),
  response_status: Nullable(Type.Integer({ description: 'Of the last one.' })),
  response_body: Nullable(Text(0, 4096, 'Of the last one. If it had no response: the error.')),
  monitors: Type.Array(Closed({ id: Uuid(), kind: Choice(MONITOR_KINDS), name: Text(1, 200) }), {
    maxItems: DESTINATION_LIMITS.monitors,
    description: 'The first of them, by name.',
  }),
  monitor_count: Whole(1, 2_147_483_647, { description: 'How many monitors have it.' }),
  given_up: Type.Integer({
    minimum: 0,
    description: 'How many deliveries to it, of monitors that still have it, are not tried again.',
  }),
})
export type FailingDestination = Static<typeof FailingDestination>

/** Response of `GET /v1/deliveries/destinations`, those of the most monitors first. */
export const FailingDestinations = Closed({
  data: Type.Array(FailingDestination, { maxItems: DESTINATION_LIMITS.destinations }),
  total: Type.Integer({ minimum: 0, description: 'How many there are.' }),
})
