import { pricesOf, type ProductStatement } from './product-statement.ts'

interface Main {
  /** Null: there is none. */
  readonly main: ProductStatement | null
  /** Nothing says that it is the one of the page. */
  readonly isOneOfMany: boolean
}

/**
 * Returns the product that a page is about, by one source: of those with a price the one that the title of the page
 * names, else the first. A page also states what others bought.
 */
export function mainOf(statements: readonly ProductStatement[], title: string | null): Main {
  const priced = statements.filter((one) => pricesOf(one).length > 0)
  const known = priced.length > 0 ? priced : statements
  const titled = title === null ? undefined : mostNamed(known, folded(title))
  const main = titled ?? known[0] ?? null
  const isOneOfMany = !titled && main !== null && known.some((one) => one !== main && !isSame(one, main))
  return { main, isOneOfMany }
}

/** Returns the statement with the longest of the names that a title has. */
function mostNamed(statements: readonly ProductStatement[], title: string): ProductStatement | undefined {
  return statements
    .filter(({ name }) => name !== null && hasWords(title, folded(name)))
    .toSorted((one, other) => (other.name?.length ?? 0) - (one.name?.length ?? 0))[0]
}

/** Returns the statement about the product that another source states; null: none is about it. */
export const sameAs = (other: ProductStatement, statements: readonly ProductStatement[]): ProductStatement | null =>
  statements.find((one) => isSame(one, other)) ?? statements.find((one) => mayBeSame(one, other)) ?? null

export const isSame = (one: ProductStatement, other: ProductStatement): boolean =>
  (one.sku !== null && one.sku === other.sku) ||
  (one.name !== null && other.name !== null && folded(one.name) === folded(other.name))

/** In one of its sources a shop may add a color or its own name. One without a name means the product of the page. */
function mayBeSame(one: ProductStatement, other: ProductStatement): boolean {
  if (one.name === null || other.name === null) return true
  const [short = '', long = ''] = [folded(one.name), folded(other.name)].toSorted((a, b) => a.length - b.length)
  return hasWords(long, short)
}

const hasWords = (text: string, words: string) => words !== '' && ` ${text} `.includes(` ${words} `)

/** The part of a name that is compared: a hostile one may be as long as the page. */
const NAME_CHARS = 300

const folded = (name: string): string =>
  name
    .slice(0, NAME_CHARS)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
