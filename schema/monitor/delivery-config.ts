import Type, { type Static } from 'typebox'
import { Choice, RuledText, Tagged } from '../shape/shape.ts'
import { WebAddress } from '../shape/web-address.ts'
import { RequestHeaders } from './request-headers.ts'

const ChatWebhook = WebAddress('Incoming-webhook address of the chat service.')

/** A destination of notifications. */
export const DeliveryConfig = Tagged(
  'type',
  {
    webhook: { url: WebAddress('Receives a signed POST.'), headers: Type.Optional(RequestHeaders) },
    slack: { webhookUrl: ChatWebhook },
    discord: { webhookUrl: ChatWebhook },
    email: { to: RuledText(254, ['email_address'], 'One e-mail address.') },
  },
  { description: 'A destination of notifications.', tagged: 'The channel.' },
)
export type DeliveryConfig = Static<typeof DeliveryConfig>
export type DeliveryType = DeliveryConfig['type']

/** The types of destination, in the order of the reference documentation. */
export const DELIVERY_TYPES = ['webhook', 'slack', 'discord', 'email'] as const satisfies readonly DeliveryType[]

/**
 * The kinds of notices about a monitor or its team: it failed five times in a row; it works again; fields that had a
 * value are missing; a delivery was given up; what the plan allows is nearly or completely used.
 */
export const NOTICE_KINDS = ['failing', 'recovered', 'field_missing', 'delivery_dead', 'quota'] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** The notices that a monitor of a search can get: it has no fields. */
export const SEARCH_NOTICE_KINDS = ['failing', 'recovered', 'delivery_dead', 'quota'] as const satisfies NoticeKind[]

/** The notices that the destinations of a monitor get besides its deliveries. */
export const notifyOn = <const K extends readonly NoticeKind[]>(kinds: K) =>
  Type.Array(Choice(kinds), {
    maxItems: kinds.length,
    default: [],
    description: 'Beyond the contract: the notices that the destinations of the monitor get besides its deliveries.',
  })

/** Returns the address that a delivery shows as its `destination`. */
export function destinationOf(config: DeliveryConfig): string {
  if (config.type === 'webhook') return config.url
  return config.type === 'email' ? config.to : config.webhookUrl
}
