import Type, { type Static } from 'typebox'
import { DELIVERY_TYPES } from '../monitor/delivery-config.ts'
import { SERVICE_NAMES } from '../monitor/delivery-services.ts'
import { HOLD_REASONS } from '../monitor/quiet-hours.ts'
import { MONITOR_KINDS } from '../resource-kind.ts'
import { SerpAnalysisBlock, SerpBlock } from '../serp/serp-result.ts'
import { Choice, Closed, Dictionary, Instant, JsonObject, Nullable, Text, Uuid } from '../shape/shape.ts'
import { Diff, Truncated } from './run.ts'

/** The status of a delivery. `core/machine/delivery.ts` describes the transitions. */
export const DELIVERY_STATUSES = ['pending', 'success', 'failed', 'dead'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** The API version, in every payload and in the header `Service-Version`. */
export const API_VERSION = '2026-05-01'

/** How many items of one kind a payload names for a list, and their bytes of JSON. The counts are of all. */
export const LIST_CHANGE_LIMITS = { items: 100, bytes: 32 * 1024 } as const

const Items = (description: string) =>
  Type.Array(Type.Unknown(), { maxItems: LIST_CHANGE_LIMITS.items, description: `${description} At most 100.` })
const ItemCount = Type.Integer({ minimum: 0 })

/** How a list differs from the previous one. An item that occurs twice counts twice. */
export const ListChange = Closed({
  added: Items('Items that are new, in the order of the new list.'),
  removed: Items('Items that are gone, in the order of the old list.'),
  moved: Items('Items that changed places with others, in the order of the new list.'),
  added_count: ItemCount,
  removed_count: ItemCount,
  moved_count: ItemCount,
})
export type ListChange = Static<typeof ListChange>

/** What changed of the readable text of a whole page. */
export const TextChange = Closed(
  {
    lines_added: ItemCount,
    lines_removed: ItemCount,
    excerpt: Text(
      0,
      4000,
      'Up to 12 of these lines, each with `- ` or `+ ` in front; empty if only the source changed.',
    ),
  },
  { description: 'Beyond the contract: what changed of the readable text of a page that is watched as a whole.' },
)
export type TextChange = Static<typeof TextChange>

/** The block of a delivery that the visual comparison fired, alone or together with the predicate. */
export const VisualBlock = Closed(
  {
    change_pct: Type.Number({ minimum: 0, maximum: 100, description: 'Area of changed pixels, in percent.' }),
    threshold_pct: Type.Number({ minimum: 0, maximum: 100, description: 'From `visual_config`.' }),
  },
  { description: 'Beyond the contract: how much of the picture changed, where that fired.' },
)
export type VisualBlock = Static<typeof VisualBlock>

/** The payload of a webhook. The keys are sent in this order. The difference is empty for a SERP monitor. */
export const DeliveryPayload = Closed({
  id: Uuid('Id of the delivery. It is the same on every attempt and replay, so that a receiver can drop duplicates.'),
  version: Type.Literal(API_VERSION),
  monitor_id: Uuid(),
  run_id: Uuid(),
  fired_at: Instant(),
  diff: Diff,
  monitor: Closed({ url: Text(1, 2048), name: Text(1, 200) }),
  lists: Type.Optional(
    Dictionary(ListChange, {
      maxProperties: 200,
      description:
        'Beyond the contract: what was added, removed and moved in each changed field that is a list before and after.',
    }),
  ),
  text: Type.Optional(TextChange),
  serp: Type.Optional(SerpBlock),
  serp_analysis: Type.Optional(SerpAnalysisBlock),
  visual: Type.Optional(VisualBlock),
  test: Type.Optional(
    Type.Literal(true, {
      description: 'Beyond the contract: the message is a test that somebody asked for. It is in no delivery.',
    }),
  ),
})
export type DeliveryPayload = Static<typeof DeliveryPayload>

/** One message to one destination, with its attempts. */
export const Delivery = Closed({
  id: Uuid(),
  monitor_id: Uuid(),
  user_id: Uuid(),
  run_id: Uuid(),
  monitor: Closed(
    { kind: Choice(MONITOR_KINDS), name: Text(1, 200) },
    { description: 'Beyond the contract: the monitor as it is now.' },
  ),
  delivery_type: Choice(DELIVERY_TYPES),
  service: Type.Optional(Choice(SERVICE_NAMES, { description: 'Beyond the contract: of a webhook that has one.' })),
  destination: Text(0, 2048),
  destination_key: Type.Optional(
    Type.String({
      maxLength: 16,
      description:
        'Beyond the contract: a mark of the destination, for the filter `destination`. Absent for who sees no ' +
        'addresses.',
    }),
  ),
  destination_removed: Type.Optional(
    Type.Literal(true, {
      description:
        'Beyond the contract: the monitor was edited and does not have the destination any more, or was deleted. ' +
        'Absent: it has it.',
    }),
  ),
  payload: JsonObject(),
  status: Choice(DELIVERY_STATUSES),
  attempts: Type.Integer({ minimum: 0 }),
  last_attempt_at: Nullable(Instant()),
  next_attempt_at: Nullable(Instant()),
  held: Type.Optional(
    Choice(HOLD_REASONS, {
      description: 'Beyond the contract: why it waits until `next_attempt_at`. Absent: it does not wait for an hour.',
    }),
  ),
  digest_id: Type.Optional(
    Uuid('Beyond the contract: the delivery whose message told of it, in a digest. Absent: it was sent by itself.'),
  ),
  response_status: Nullable(Type.Integer()),
  response_body: Nullable(
    Type.String({
      description: 'At most 4,096 characters that are safe to show. If there was no response: the error.',
    }),
  ),
  created_at: Instant(),
  truncated: Truncated('`payload.diff.after.body`', '`GET /v1/deliveries/{id}`'),
})
export type Delivery = Static<typeof Delivery>

/** Seconds before attempts 1 to 6, each counted from the end of the previous attempt. */
export const DELIVERY_DELAYS_SECONDS = [0, 300, 900, 1800, 3600, 7200] as const
/**
 * Messages to one address of a chat: this many at once, then one in each `everyMs`. Chats refuse more, and a refused
 * message is lost. Where one is refused with a time to wait, the others wait for it, at most for `longestHoldMs`.
 */
export const CHAT_PACE = { burst: 3, everyMs: { slack: 1_000, discord: 2_000 }, longestHoldMs: 600_000 } as const
/**
 * Bytes of the payloads that one process sends at the same time: of all teams, and of one. The last one that begins may
 * exceed them. Those that are `small` always begin.
 */
export const DELIVERY_BYTES = { small: 64 * 1024, team: 16 * 1024 * 1024, total: 32 * 1024 * 1024 } as const
/** The destination must answer within this time. */
export const DELIVERY_TIMEOUT_MS = 15_000
