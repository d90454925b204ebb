import { serverNow } from '../api/client.ts'
import { addressFilters } from '../parts/address-filters.ts'

/**
 * What the deliveries are filtered by, as it stands in the address. All but `within` are names of the API: it is how
 * far back they go, which stays true as time passes.
 */
export const { queryOf, useFilters } = addressFilters([
  'q',
  'status',
  'given_up',
  'missed',
  'held',
  'type',
  'service',
  'destination',
  'monitor_id',
  'within',
  'from',
  'to',
])

export type DeliveryFilters = Parameters<typeof queryOf>[0]

/** How far back the deliveries go. */
export const WITHIN = {
  '1h': ['the last hour', 3_600],
  '24h': ['24 hours', 86_400],
  '7d': ['7 days', 604_800],
  '30d': ['30 days', 2_592_000],
} as const satisfies Readonly<Record<string, readonly [words: string, seconds: number]>>

const isWithin = (name: string): name is keyof typeof WITHIN => Object.hasOwn(WITHIN, name)
const MINUTE_MS = 60_000

/** What stands for a state: the chips show how many each of them leaves. */
const STATE = ['status', 'given_up', 'missed', 'held'] as const
const OTHERS = ['q', 'type', 'service', 'destination', 'monitor_id', 'from', 'to'] as const

type Asked = Readonly<Record<string, string>>

const pick = (filters: DeliveryFilters, names: readonly (keyof DeliveryFilters)[]): Asked =>
  Object.fromEntries(names.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])))

/** Returns the filters that every state is counted with. Times are whole minutes, so that they are asked for once. */
export function withoutState(filters: DeliveryFilters): Asked {
  const { within } = filters
  if (within === undefined || !isWithin(within)) return pick(filters, OTHERS)
  const from = serverNow() - WITHIN[within][1] * 1_000
  return { ...pick(filters, OTHERS), from: new Date(from - (from % MINUTE_MS)).toISOString() }
}

/** Returns the filters of the list, as the API takes them. */
export const askedOf = (filters: DeliveryFilters): Asked => ({ ...withoutState(filters), ...pick(filters, STATE) })
