import { compare, type Decimal } from '../../../core/number/decimal.ts'
import { readNumber } from '../../../core/number/read-number.ts'
import { kindOfAvailability } from './availability.ts'
import { pricesOf, type ProductStatement, type Source } from './product-statement.ts'

/** What sources of a page say differently of its product. */
export type Contradiction = {
  readonly field: 'price' | 'currency' | 'availability'
  readonly stated: readonly { readonly source: Source; readonly value: string }[]
}

/** Returns on what the sources of a page disagree. What one of them leaves out contradicts nothing. */
export function contradictions(stated: readonly ProductStatement[]): readonly Contradiction[] {
  return [
    ...disagreeing('price', stated, { valuesOf: pricesOf, agree: rangesMeet }),
    ...disagreeing('currency', stated, {
      valuesOf: (one) => allOf(one, 'currency'),
      agree: (one, other) => shareOne(one, other, (value) => value.toUpperCase()),
    }),
    ...disagreeing('availability', stated, {
      valuesOf: (one) => allOf(one, 'availability'),
      agree: (one, other) => shareOne(one, other, kindOfAvailability),
    }),
  ]
}

interface Comparison {
  readonly valuesOf: (statement: ProductStatement) => readonly string[]
  readonly agree: (one: readonly string[], other: readonly string[]) => boolean
}

function disagreeing(
  field: Contradiction['field'],
  statements: readonly ProductStatement[],
  { valuesOf, agree }: Comparison,
): readonly Contradiction[] {
  const said = statements
    .map((one) => ({ source: one.source, values: valuesOf(one) }))
    .filter(({ values }) => values.length > 0)
  const [first, ...others] = said
  if (first === undefined) return []
  const against = others.filter(({ values }) => !agree(first.values, values))
  if (against.length === 0) return []
  return [{ field, stated: [first, ...against].map(({ source, values }) => ({ source, value: values[0] ?? '' })) }]
}

function allOf({ offers, ...one }: ProductStatement, key: 'currency' | 'availability'): readonly string[] {
  return [...offers.map((offer) => offer[key]), one[key]].filter((value) => value !== null)
}

const shareOne = (one: readonly string[], other: readonly string[], by: (value: string) => string) => {
  const known = new Set(one.map(by))
  return other.some((value) => known.has(by(value)))
}

/** A source may name the price of one variant, and another one those of all. */
function rangesMeet(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [rangeOf(one), rangeOf(other)]
  // What is not a number, such as "on request", is compared with nothing.
  if (a === null || b === null) return true
  return compare(a.low, b.high) <= 0 && compare(b.low, a.high) <= 0
}

function rangeOf(prices: readonly string[]): { readonly low: Decimal; readonly high: Decimal } | null {
  const numbers = prices
    .map(readNumber)
    .filter((number) => number !== null)
    .toSorted(compare)
  const [low, high] = [numbers[0], numbers.at(-1)]
  return low === undefined || high === undefined ? null : { low, high }
}
