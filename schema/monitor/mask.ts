import { splitLater } from '../validation/later-keys.ts'
import { DeliveryConfig } from './delivery-config.ts'
import { isSecretOption } from './delivery-services.ts'
import type { EverySpec } from './every-spec.ts'

/** Stands for a secret in what is shown to people who may not write. No configuration may hold it. */
export const MASK = '********'

/** Returns the values of headers with the mask in place of each. */
export const maskedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]))

/** Returns options with the mask in place of the values that are secret. */
export const maskedOptions = (service: string | undefined, options: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, isSecretOption(service, name) ? MASK : value]),
  )

/** Returns the address of a destination with the mask in place of all that follows its host. */
export function maskedAddress(address: string): string {
  if (!URL.canParse(address)) return address
  const { protocol, origin, pathname, search, hash } = new URL(address)
  if (protocol !== 'http:' && protocol !== 'https:') return address
  return pathname === '/' && search === '' && hash === '' ? address : `${origin}/${MASK}`
}

/**
 * Returns the destination with its secrets masked. The address of a mailbox is none. A key of a later version may be
 * one.
 */
export function maskedDelivery(config: DeliveryConfig): DeliveryConfig {
  const later = splitLater(DeliveryConfig, config).later.filter(({ length }) => length === 1)
  const masks: Record<string, string> = Object.fromEntries(later.map(([key]) => [String(key), MASK]))
  return { ...maskedKeys(config), ...masks }
}

/** Returns a configuration, or a monitor, with its secrets masked. */
export function maskedSpec<M extends EverySpec>(monitor: M): M {
  const { request_headers: headers } = monitor
  return {
    ...monitor,
    ...(headers && { request_headers: maskedHeaders(headers) }),
    deliveries: monitor.deliveries.map(maskedDelivery),
  }
}

function maskedKeys(config: DeliveryConfig): DeliveryConfig {
  switch (config.type) {
    case 'webhook':
      return {
        ...config,
        url: maskedAddress(config.url),
        ...(config.headers && { headers: maskedHeaders(config.headers) }),
        ...(config.body !== undefined && { body: MASK }),
        ...(config.options && { options: maskedOptions(config.service, config.options) }),
      }
    case 'slack':
    case 'discord':
      return { ...config, webhookUrl: maskedAddress(config.webhookUrl) }
    case 'email':
      return config
  }
}
