import type { DeliveryConfig } from './delivery-config.ts'

/** Stands for a secret in what is shown to people who may not write. No configuration may hold it. */
export const MASK = '********'

/** Returns the values of headers with the mask in place of each. */
export const maskedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]))

/** Returns the address of a destination with the mask in place of all that follows its host. */
export function maskedAddress(address: string): string {
  if (!URL.canParse(address)) return address
  const { protocol, origin, pathname, search, hash } = new URL(address)
  if (protocol !== 'http:' && protocol !== 'https:') return address
  return pathname === '/' && search === '' && hash === '' ? address : `${origin}/${MASK}`
}

/** Returns the destination with its secrets masked. The address of a mailbox is none. */
export function maskedDelivery(config: DeliveryConfig): DeliveryConfig {
  switch (config.type) {
    case 'webhook':
      return {
        ...config,
        url: maskedAddress(config.url),
        ...(config.headers && { headers: maskedHeaders(config.headers) }),
      }
    case 'slack':
    case 'discord':
      return { ...config, webhookUrl: maskedAddress(config.webhookUrl) }
    case 'email':
      return config
  }
}
