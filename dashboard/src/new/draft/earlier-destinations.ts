import type { DeliveryConfig, MonitorCreate } from '../../api/types.ts'
import { addressOf, kindOf } from './destinations.ts'

type Watched = Required<Pick<MonitorCreate, 'name' | 'deliveries'>>

/** A destination of other monitors. */
interface EarlierDestination {
  readonly delivery: DeliveryConfig
  /** The names of the monitors that have it. */
  readonly of: readonly string[]
}

const placeOf = (delivery: DeliveryConfig): string =>
  JSON.stringify([kindOf(delivery), addressOf(delivery), delivery.type === 'webhook' ? (delivery.options ?? {}) : {}])

/**
 * Returns the destinations of monitors, each once, without those in `present`. Wording is about the values of
 * a monitor, and is left out.
 */
export function earlierDestinations(
  monitors: readonly Watched[],
  present: readonly DeliveryConfig[],
): readonly EarlierDestination[] {
  const found = new Map<string, { delivery: DeliveryConfig; of: string[] }>()
  const known = new Set(present.map(placeOf))
  for (const { name, deliveries } of monitors)
    for (const { message: _, ...delivery } of deliveries) {
      const place = placeOf(delivery)
      if (known.has(place)) continue
      const of = found.get(place)?.of ?? []
      if (!of.includes(name)) of.push(name)
      found.set(place, { delivery: found.get(place)?.delivery ?? delivery, of })
    }
  return [...found.values()]
}
