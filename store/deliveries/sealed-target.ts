import { hoursOf, type HeldBy } from '../../core/hold/held-until.ts'
import type { MessageConfig } from '../../schema/message/message.ts'
import { type DeliveryConfig, isForPeople } from '../../schema/monitor/delivery-config.ts'
import type { SerpEngine } from '../../schema/serp/serp-search.ts'

/** The facts that a message in a user's own words may name besides its payload. */
export interface NamedFacts {
  readonly labels: Readonly<Record<string, string>>
  /** Of a search. */
  readonly engine?: SerpEngine | undefined
}

/** The keys of a monitor that it adds to its destinations. */
export interface AddedByMonitor extends HeldBy, Partial<NamedFacts> {
  readonly message?: MessageConfig | null
}

/** A destination as it is sealed with a message to it. An edit of the monitor changes no message that is made. */
export type SealedTarget = DeliveryConfig & { readonly named?: NamedFacts }

/** Returns a destination with what its monitor adds: hours and a message, where it has none. */
export function sealedTarget(config: DeliveryConfig, by: AddedByMonitor): SealedTarget {
  const hours = hoursOf(config, by)
  const message = config.message ?? (isForPeople(config) ? by.message : null)
  const isWorded = message || (config.type === 'webhook' && config.body !== undefined)
  return {
    ...config,
    ...(hours && { quiet_hours: hours }),
    ...(message && { message }),
    ...(isWorded && { named: { labels: by.labels ?? {}, ...(by.engine && { engine: by.engine }) } }),
  }
}
