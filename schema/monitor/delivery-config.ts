import Type, { type Static } from 'typebox'
import { RequestHeaders } from './request-headers.ts'
import { RuledText, Tagged } from '../shape/shape.ts'
import { WebAddress } from '../shape/web-address.ts'

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

/** Returns the address that a delivery shows as its `destination`. */
export function destinationOf(config: DeliveryConfig): string {
  if (config.type === 'webhook') return config.url
  return config.type === 'email' ? config.to : config.webhookUrl
}
