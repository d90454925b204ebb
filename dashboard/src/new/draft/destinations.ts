import { SERVICES } from '../../api/delivery-choices.ts'
import type { Service, ServiceName, ServiceOption } from '../../api/service.ts'
import type { DeliveryConfig } from '../../api/types.ts'

type Hook = Extract<DeliveryConfig, { type: 'webhook' }>
type Type = DeliveryConfig['type']

/** What a person chooses: a type of destination, or a service that a webhook names. */
export type DestinationKind = Type | ServiceName

interface Choice {
  readonly kind: DestinationKind
  readonly label: string
  /** An example of its address. */
  readonly example: string
}

/** The types of destinations. */
export const TYPES: readonly Choice[] = [
  { kind: 'webhook', label: 'Webhook', example: 'https://receiver.example/hook' },
  { kind: 'email', label: 'Mail', example: 'you@example.com' },
  { kind: 'slack', label: 'Slack', example: 'https://hooks.slack.com/services/…' },
  { kind: 'discord', label: 'Discord', example: 'https://discord.com/api/webhooks/…' },
]

const isService = (kind: string): kind is ServiceName => Object.hasOwn(SERVICES, kind)

/** The services, in the order of the manual. */
export const SERVICE_CHOICES: readonly Choice[] = Object.keys(SERVICES)
  .filter(isService)
  .map((kind) => ({ kind, label: SERVICES[kind].label, example: SERVICES[kind].url }))

export const choiceOf = (kind: string): Choice | undefined =>
  [...TYPES, ...SERVICE_CHOICES].find((choice) => choice.kind === kind)

export const kindOf = (delivery: DeliveryConfig): DestinationKind =>
  delivery.type === 'webhook' ? (delivery.service ?? 'webhook') : delivery.type

/** Returns the service that a kind of destination is. Null: it is none. */
export const serviceOf = (kind: DestinationKind): Service | null => (isService(kind) ? SERVICES[kind] : null)

/** Returns whether people read what is sent, so that it can be said in their words. */
export const takesMessage = (kind: DestinationKind): boolean => kind !== 'webhook' && kind !== 'cloudevents'

/** Returns whether many changes can be one message. */
export const takesDigest = (kind: DestinationKind): boolean => takesMessage(kind) && kind !== 'custom'

/** Returns whether requests can have headers of a person's choice. */
export const takesHeaders = (kind: DestinationKind): boolean =>
  kind === 'webhook' || serviceOf(kind)?.takesHeaders === true

/** Returns the options of a service: those that it needs, and the others. */
export function optionsOf({ options }: Service) {
  const all = Object.entries(options)
  const isNeeded = ([, option]: readonly [string, ServiceOption]) => option.isNeeded === true
  return { needed: all.filter(isNeeded), others: all.filter((one) => !isNeeded(one)) }
}

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

/** Returns a webhook with another value of an option. Empty: without it. */
export function withOption(delivery: Hook, name: string, value: string): Hook {
  const { options = {}, ...rest } = delivery
  const others = Object.entries(options).filter(([key]) => key !== name)
  const next = Object.fromEntries(value === '' ? others : [...others, [name, value]])
  return Object.keys(next).length === 0 ? rest : { ...rest, options: next }
}

/** Returns a destination of a kind, without an address where everybody has their own. */
export const newDestination = (kind: DestinationKind): DeliveryConfig => {
  const service = serviceOf(kind)
  return ofTypeOf(kind, service?.hasOneAddress === true ? service.url : '')
}

/**
 * Returns a destination of another kind, with all of the old one that the new one takes. An option has another meaning
 * elsewhere and may be a secret, and so may a header: neither goes to another service or to another address.
 */
export function ofKind(kind: DestinationKind, before: DeliveryConfig): DeliveryConfig {
  const isMail = (one: DestinationKind) => one === 'email'
  const isOwn = [kind, kindOf(before)].every((one) => serviceOf(one)?.hasOneAddress !== true)
  const keepsAddress = isOwn && isMail(kind) === isMail(kindOf(before))
  const made = keepsAddress ? withAddress(newDestination(kind), addressOf(before)) : newDestination(kind)
  const { message, digest, quiet_hours: hours } = before
  const headers = before.type === 'webhook' && keepsAddress && takesHeaders(kind) ? before.headers : undefined
  return {
    ...made,
    ...(message && takesMessage(kind) && { message }),
    ...(digest && takesDigest(kind) && { digest }),
    ...(hours && { quiet_hours: hours }),
    ...(headers && { headers }),
  }
}

function ofTypeOf(kind: DestinationKind, address: string): DeliveryConfig {
  if (kind === 'email') return { type: kind, to: address }
  if (kind === 'slack' || kind === 'discord') return { type: kind, webhookUrl: address }
  return { type: 'webhook', url: address, ...(kind !== 'webhook' && { service: kind }) }
}

/** Returns a destination as people tell it from others, without its secrets. */
export function summaryOf(delivery: DeliveryConfig): string {
  const kind = kindOf(delivery)
  const address = addressOf(delivery)
  const { label = kind } = choiceOf(kind) ?? {}
  if (kind === 'email') return `${label} to ${address}`
  const options = delivery.type === 'webhook' ? (delivery.options ?? {}) : {}
  const known = serviceOf(kind)?.options ?? {}
  const open = Object.entries(options).filter(([name]) => known[name] !== undefined && known[name].isSecret !== true)
  return [label, URL.canParse(address) ? new URL(address).host : '', ...open.map(([, value]) => value)]
    .filter((part) => part !== '')
    .join(' · ')
}
