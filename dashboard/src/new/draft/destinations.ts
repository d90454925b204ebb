import type { DeliveryConfig } from '../../api/types.ts'

type Type = DeliveryConfig['type']

/** The kinds of destinations, with what is asked for. */
export const DESTINATIONS: readonly (readonly [Type, string, string])[] = [
  ['webhook', 'Webhook', 'https://receiver.example/hook'],
  ['email', 'Mail', 'you@example.com'],
  ['slack', 'Slack', 'https://hooks.slack.com/services/…'],
  ['discord', 'Discord', 'https://discord.com/api/webhooks/…'],
]

/** Returns the address of a destination. */
export function addressOf(delivery: DeliveryConfig): string {
  if (delivery.type === 'webhook') return delivery.url
  return delivery.type === 'email' ? delivery.to : delivery.webhookUrl
}

/** Returns the key in which a destination has its address, as issues name it. */
export const addressKey = ({ type }: DeliveryConfig): string =>
  type === 'webhook' ? 'url' : type === 'email' ? 'to' : 'webhookUrl'

/** Returns a destination with another address. What else it has stays. */
export function withAddress(delivery: DeliveryConfig, address: string): DeliveryConfig {
  if (delivery.type === 'webhook') return { ...delivery, url: address }
  return delivery.type === 'email' ? { ...delivery, to: address } : { ...delivery, webhookUrl: address }
}

/** Returns a destination of a kind, with the address of another one. */
export function ofType(type: Type, address: string): DeliveryConfig {
  if (type === 'webhook') return { type, url: address }
  return type === 'email' ? { type, to: address } : { type, webhookUrl: address }
}
