import type { Element } from 'domhandler'
import { currencyKind, namesMoney } from '../../../../core/number/currency.ts'
import { compare, type Decimal } from '../../../../core/number/decimal.ts'
import { readNumber } from '../../../../core/number/read-number.ts'
import { shopProductPrice } from '../../../../core/templates/prices.ts'
import { compileRules } from '../../compiled.ts'
import { finish } from '../../on-tree.ts'
import { structuredFields } from '../../structured-data/read-structured.ts'
import type { Tree } from '../../tree.ts'
import { ancestorsOf } from '../anchors.ts'
import { shown } from '../shown.ts'
import { bestRule, guessBy } from './guess-by-rule.ts'
import { type Ranked, RANKS } from './guess.ts'
import { statedPrices } from './stated-prices.ts'
import { type VisibleText, visibleTexts } from './visible-texts.ts'

const MOST_CHARACTERS = 40
const MOST_GUESSES = 2
/** Elements around a price whose names are read. */
const AROUND = 2
/** A page with more prices than these is a list of things. */
const MANY = 12

const PRICE_WORDS = /price|preis|prix|precio|prezzo|prijs|pris|cost|amount|цена/i
const OLD = /\b(?:old|was|before|regular|list|rrp|msrp|strike|crossed|compare|original)/i

/** Returns the prices of a page: those that it states and shows, then those that only look like one. */
export function priceGuesses(tree: Tree): Ranked[] {
  const prices = visibleTexts(tree, MOST_CHARACTERS).filter(isPrice)
  const innermost = prices.filter(({ element }) => !prices.some((other) => other.element.parent === element))
  const stated = statedPrices(tree)
  const numbers = stated.map(readNumber).filter((number) => number !== null)
  const ranked = innermost
    .slice(0, MANY * 4)
    .map((price) => ({ price, rank: rankOf(price, numbers, innermost.length) }))
    .toSorted((one, other) => other.rank - one.rank)
  const found = ranked.slice(0, MOST_GUESSES).flatMap(({ price, rank }) => guessOf(tree, price, rank))
  return stated.length === 0 ? found : [...found, ...statedGuess(tree, stated)]
}

function isPrice({ text }: VisibleText): boolean {
  if (!/\d/.test(text) || !namesMoney(text) || /\b(?:million|billion|mln|bn)\b/i.test(text)) return false
  // Letters at a number are those of a currency, and not of a name or a unit.
  const [, before, behind] = /(\p{L}*)\d[\d.,'’]*(\p{L}*)/u.exec(text) ?? []
  if ([before, behind].some((letters) => letters && currencyKind(letters) === null)) return false
  // What else stands beside the number is short: a sign, a code, "from".
  return text.replace(/[\d.,'’\s]/g, '').length <= MOST_WORDS && readNumber(text) !== null
}

const MOST_WORDS = 10

function rankOf({ element, text }: VisibleText, stated: readonly Decimal[], count: number): number {
  const number = readNumber(text)
  const isStated = number !== null && stated.some((other) => compare(number, other) === 0)
  const around = [element, ...ancestorsOf(element, AROUND)]
  const isOld = around.some((one) => /^(?:del|s|strike)$/.test(one.name) || OLD.test(namesOf(one)))
  if (isOld) return RANKS.plainPrice - 1
  if (isStated) return RANKS.matchedPrice
  const isNamed = around.some((one) => PRICE_WORDS.test(namesOf(one)))
  return isNamed && count <= MANY ? RANKS.namedPrice : RANKS.plainPrice
}

const namesOf = ({ attribs }: Element) =>
  `${attribs['class'] ?? ''} ${attribs['id'] ?? ''} ${attribs['itemprop'] ?? ''}`.slice(0, 1_000)

function guessOf(tree: Tree, { element, text }: VisibleText, rank: number): Ranked[] {
  const candidate = bestRule(tree, element)
  if (candidate === null) return []
  const predicate = { type: 'field_decreases_by_percent', field: 'price', threshold: 1 } as const
  return [
    { rank, guess: guessBy(candidate, { kind: 'price', label: `price ${shown(text)}`, field: 'price', predicate }) },
  ]
}

/** Reads what the page states for search engines, as the template for shops does. */
function statedGuess(tree: Tree, [first = '']: readonly string[]): Ranked[] {
  const { extract, diff_predicate: predicate } = shopProductPrice.config
  const compiled = compileRules(extract)
  if (compiled.method !== 'json_path') return []
  const read = finish(structuredFields(compiled.fields, { tree, url: '' }).fields, [])
  if (!read.ok || (read.values['price'] ?? null) === null) return []
  const label = `price ${shown(first)}, as the page states it for search engines`
  const guess = {
    kind: 'price',
    label,
    extract_config: extract,
    values: read.values,
    diff_predicate: predicate,
    address: null,
  } as const
  return [{ rank: RANKS.statedPrice, guess }]
}
