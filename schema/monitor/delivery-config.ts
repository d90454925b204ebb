import Type, { type Static } from 'typebox'
import { since } from '../level.ts'
import { BODY_METHODS, MessageConfig, RequestBody } from '../message/message.ts'
import { Choice, Dictionary, RuledText, Tagged } from '../shape/shape.ts'
import { WebAddress } from '../shape/web-address.ts'
import { OPTION_LIMITS, SERVICE_NAMES } from './delivery-services.ts'
import { DigestConfig } from './digest.ts'
import { QuietHours } from './quiet-hours.ts'
import { RequestHeaders } from './request-headers.ts'

const ChatWebhook = WebAddress('Incoming-webhook address of the chat service.')

const Service = Choice(SERVICE_NAMES, {
  description: 'Beyond the contract: the service at `url`, which gets a message for people in place of the payload.',
})
const Options = Dictionary(Type.String({ maxLength: OPTION_LIMITS.value }), {
  maxProperties: OPTION_LIMITS.options,
  description: 'Beyond the contract: what the service needs to know besides its address.',
  rules: ['option_names'],
})

const BodyMethod = Choice(BODY_METHODS, {
  description: 'Beyond the contract: how the service custom sends. Absent: POST.',
})

/** What every destination may have. */
const every = {
  quiet_hours: Type.Optional(since(2, QuietHours)),
  message: Type.Optional(since(2, MessageConfig)),
  digest: Type.Optional(since(2, DigestConfig)),
}

/** A destination of notifications. */
export const DeliveryConfig = Tagged(
  'type',
  {
    webhook: {
      url: WebAddress('Receives a signed POST.'),
      headers: Type.Optional(RequestHeaders),
      service: Type.Optional(since(2, Service)),
      options: Type.Optional(since(2, Options)),
      body: Type.Optional(since(2, RequestBody)),
      method: Type.Optional(since(2, BodyMethod)),
      ...every,
    },
    slack: { webhookUrl: ChatWebhook, ...every },
    discord: { webhookUrl: ChatWebhook, ...every },
    email: { to: RuledText(254, ['email_address'], 'One e-mail address.'), ...every },
  },
  {
    description: 'A destination of notifications.',
    tagged: 'The channel.',
    rules: [
      'options_of_service',
      'known_options',
      'needed_options',
      'option_values',
      'service_headers',
      'message_for_people',
      'digest_for_people',
      'body_of_custom',
    ],
  },
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

/** Returns whether people read what is sent: to a chat, a mailbox, or a webhook that names a service which shows it. */
export const isForPeople = (config: DeliveryConfig): boolean =>
  config.type !== 'webhook' || (config.service !== undefined && config.service !== 'cloudevents')

/** Returns whether changes for it can be one message. A program gets each by itself, and so does `custom`. */
export const canCollect = (config: DeliveryConfig): boolean =>
  isForPeople(config) && !(config.type === 'webhook' && config.service === 'custom')

/** Returns the address that a delivery shows as its `destination`. */
export function destinationOf(config: DeliveryConfig): string {
  if (config.type === 'webhook') return config.url
  return config.type === 'email' ? config.to : config.webhookUrl
}
