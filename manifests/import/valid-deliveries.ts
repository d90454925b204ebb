import { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import { checkerOf } from '../../schema/validation/validate.ts'

/** Returns the destinations that are valid: one that is not would leave its monitor out. */
export const validDeliveries = (found: readonly object[]): readonly object[] =>
  found.filter((delivery) => checkerOf(DeliveryConfig).validate(delivery).ok)

/** Returns the options that have a value. */
export const givenOptions = (options: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
        ? [[name, String(value).trim()]]
        : [],
    ),
  )
