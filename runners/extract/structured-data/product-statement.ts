import type { Json } from '../../../schema/shape/json.ts'
import { availabilityOf } from './availability.ts'
import { type Offer, offeredBy } from './offers.ts'
import { listOf, nameOfThing, textOfThing, type Thing } from './thing.ts'

/** The ways in which a page states things, in the order in which the first that says something counts. */
export type Source = 'json_ld' | 'microdata' | 'open_graph'

/** What one source says of a product. */
export interface ProductStatement {
  readonly source: Source
  readonly name: string | null
  readonly sku: string | null
  readonly brand: string | null
  readonly offers: readonly Offer[]
  readonly range: readonly string[]
  readonly currency: string | null
  readonly availability: string | null
  readonly isCut: boolean
}

export function statementOf(source: Source, thing: Thing): ProductStatement {
  return {
    source,
    name: textOfThing(thing, 'name'),
    sku: textOfThing(thing, 'sku'),
    brand: nameOfThing(thing, 'brand'),
    ...offeredBy(thing),
  }
}

/** Returns all prices of a statement, as written. */
export const pricesOf = ({ offers, range }: ProductStatement): readonly string[] => [
  ...offers.flatMap(({ price }) => (price === null ? [] : [price])),
  ...range,
]

/** What Facebook and Pinterest read; shops write either. */
const PRICES = ['product:sale_price:amount', 'product:price:amount', 'og:price:amount'] as const
const CURRENCIES = ['product:sale_price:currency', 'product:price:currency', 'og:price:currency'] as const
const AVAILABILITIES = ['product:availability', 'og:availability'] as const

/** Returns what Open Graph says of a product; null: the page is not about one. */
export function openGraphStatement(openGraph: { readonly [name: string]: Json }): ProductStatement | null {
  const all = (name: string): readonly string[] =>
    listOf(openGraph[name]).flatMap((value) => (typeof value === 'string' && value !== '' ? [value] : []))
  const first = (...names: readonly string[]) => names.flatMap(all)[0] ?? null
  const prices = PRICES.flatMap(all)
  const availability = first(...AVAILABILITIES)
  if (prices.length === 0 && availability === null && !/^(?:og:)?product/i.test(first('og:type') ?? '')) return null
  return {
    source: 'open_graph',
    name: first('og:title'),
    sku: first('product:retailer_item_id'),
    brand: first('product:brand', 'og:brand'),
    offers: [],
    range: prices,
    currency: first(...CURRENCIES),
    availability: availability === null ? null : availabilityOf(availability),
    isCut: false,
  }
}
