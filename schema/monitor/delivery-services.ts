import { DELIVERY_SERVICES } from './delivery-service-table.ts'
import type { DeliveryService, ServiceOption } from './delivery-service.ts'

export type ServiceName = keyof typeof DELIVERY_SERVICES
/** The services by name, for a name that is known and options that are not. */
export const SERVICE_TABLE: Readonly<Record<ServiceName, DeliveryService>> = DELIVERY_SERVICES
export const isServiceName = (name: string): name is ServiceName => Object.hasOwn(DELIVERY_SERVICES, name)
export const SERVICE_NAMES: readonly ServiceName[] = Object.keys(DELIVERY_SERVICES).filter(isServiceName)

/** The bounds of `options`, whatever the service. */
export const OPTION_LIMITS = { options: 20, key: 100, value: 2_048 } as const

/** Returns whether the value of an option is shown only to people who may write. One that is not known is a secret. */
export function isSecretOption(service: string | undefined, option: string): boolean {
  const known = service !== undefined && isServiceName(service) ? SERVICE_TABLE[service].options : {}
  return !Object.hasOwn(known, option) || known[option]?.isSecret === true
}

type Options = Readonly<Record<string, string>>

/** Returns the part of options that says where a message goes, as one text that is the same for the same place. */
export const addressOfOptions = (service: string, options?: Options): string =>
  partOf(service, options, ({ isAddress }) => isAddress === true)

/** Returns the part of options that the pace is counted by, as one text that is the same for the same pace. */
export const paceOfOptions = (service: string, options?: Options): string =>
  partOf(service, options, ({ isPaced }) => isPaced === true)

function partOf(service: string, options: Options = {}, isPart: (option: ServiceOption) => boolean): string {
  const known = isServiceName(service) ? SERVICE_TABLE[service].options : {}
  const parts = Object.entries(options).filter(([key]) => known[key] !== undefined && isPart(known[key]))
  return JSON.stringify([service, ...parts.toSorted(([one], [other]) => (one < other ? -1 : 1))])
}
