import { compare } from '../../../core/number/decimal.ts'
import { readNumber } from '../../../core/number/read-number.ts'
import { availabilityOf } from './availability.ts'
import { STRUCTURED_LIMITS } from './structured-limits.ts'
import { nameOfThing, textOfThing, type Thing, thingsOf } from './thing.ts'

/** An offer of a product or an event. What the page does not say is null. */
export type Offer = {
  /** As written. */
  readonly price: string | null
  readonly currency: string | null
  readonly availability: string | null
  readonly sku: string | null
  readonly name: string | null
  readonly url: string | null
  readonly seller: string | null
}

/** What a thing costs. */
interface Offered {
  readonly offers: readonly Offer[]
  /** Prices that are those of no offer: the lowest and the highest of many, as written. */
  readonly range: readonly string[]
  /** Of a group of offers. */
  readonly currency: string | null
  readonly availability: string | null
  readonly isCut: boolean
}

/** Levels of groups of offers, and of variants of a product. */
const DEPTH = 3

/** Returns the offers of a thing, of its variants, and of its groups of offers. */
export function offeredBy(thing: Thing): Offered {
  const found: Found = { offers: [], range: [], currency: null, availability: null, isCut: false }
  addOffers(thing, found, DEPTH)
  return found
}

type Found = { -readonly [K in keyof Offered]: Offered[K] } & { offers: Offer[]; range: string[] }

function addOffers(thing: Thing, found: Found, depth: number): void {
  if (depth === 0) return
  for (const offer of thingsOf(thing, 'offers')) {
    if (isGroup(offer)) addGroup(offer, found, depth)
    else addOffer(offer, thing, found)
  }
  for (const variant of thingsOf(thing, 'hasVariant')) addOffers(variant, found, depth - 1)
}

const isGroup = (offer: Thing) => offer.types.includes('AggregateOffer') || textOfThing(offer, 'lowPrice') !== null

function addGroup(group: Thing, found: Found, depth: number): void {
  for (const name of ['lowPrice', 'highPrice', 'price']) {
    const price = textOfThing(group, name)
    if (price !== null) found.range.push(price)
  }
  found.currency ??= textOfThing(group, 'priceCurrency')
  found.availability ??= availabilityIn(group)
  addOffers(group, found, depth - 1)
}

function addOffer(offer: Thing, of: Thing, found: Found): void {
  if (found.offers.length >= STRUCTURED_LIMITS.offers) {
    found.isCut = true
    return
  }
  const specification = specificationOf(offer)
  const from = textOfThing(offer, 'price') === null && specification !== null ? specification : offer
  found.offers.push({
    price: textOfThing(from, 'price', 'minPrice'),
    currency: textOfThing(from, 'priceCurrency') ?? textOfThing(offer, 'priceCurrency'),
    availability: availabilityIn(offer),
    sku: textOfThing(offer, 'sku') ?? textOfThing(of, 'sku'),
    name: textOfThing(offer, 'name') ?? textOfThing(of, 'name'),
    url: textOfThing(offer, 'url'),
    seller: nameOfThing(offer, 'seller'),
  })
}

/** Prices that are not the one to pay: struck through, of a manufacturer, for members. */
const OTHER_PRICE = /ListPrice|Strikethrough|SRP|Invoice|Regular/i

/** Returns the specification of the price that everybody pays. One per unit comes last. */
function specificationOf(offer: Thing): Thing | null {
  const all = thingsOf(offer, 'priceSpecification').filter(
    (one) => !OTHER_PRICE.test(textOfThing(one, 'priceType') ?? '') && one.all('validForMemberTier').length === 0,
  )
  return all.find((one) => one.all('referenceQuantity').length === 0) ?? all[0] ?? null
}

function availabilityIn(offer: Thing): string | null {
  const [first] = offer.all('availability')
  if (first === undefined) return null
  const written = typeof first === 'string' ? first : (first.id ?? '')
  return written === '' ? null : availabilityOf(written)
}

/** Returns the lowest of prices, as written; null: none is a number. */
export function lowestOf(prices: readonly string[]): string | null {
  let lowest: string | null = null
  for (const price of prices) {
    const number = readNumber(price)
    const known = lowest === null ? null : readNumber(lowest)
    if (number !== null && (known === null || compare(number, known) < 0)) lowest = price
  }
  return lowest
}
