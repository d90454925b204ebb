import { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import { SERVICE_TABLE, type ServiceName } from '../../schema/monitor/delivery-services.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import type { Values } from './imported.ts'

/** Returns the destinations that are valid: one that is not would leave its monitor out. */
export const validDeliveries = (found: readonly object[]): readonly object[] =>
  found.filter((delivery) => checkerOf(DeliveryConfig).validate(delivery).ok)

/** Other tools keep the token of a bot, and no address. */
export const telegramAddress = (token: string): string => `https://api.telegram.org/bot${token}/sendMessage`
export const PUSHOVER_ADDRESS = SERVICE_TABLE.pushover.url

/** Returns a destination with the options that have a value. */
export function toService(service: ServiceName, url: string, options: Values = {}): object {
  const given = givenOptions(options)
  return { type: 'webhook', service, url, ...(Object.keys(given).length > 0 && { options: given }) }
}

const givenOptions = (options: Values): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
        ? [[name, String(value).trim()]]
        : [],
    ),
  )
