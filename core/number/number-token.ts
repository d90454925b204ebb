import { currencyKind } from './currency.ts'

/**
 * A run of digits and separators as written in a text: `1.299,00` has the groups `1`, `299`, `00` and the separators
 * `.`, `,`.
 */
export interface NumberToken {
  readonly groups: readonly string[]
  readonly separators: readonly Separator[]
  /** The index of its beginning and of its end in the text. */
  readonly start: number
  readonly end: number
}

/** Spaces of any width are ` `, apostrophes `'`; `٬` and `٫` are the Arabic thousands and decimal marks. */
export type Separator = '.' | ',' | ' ' | "'" | '٬' | '٫'

const SEPARATORS: Readonly<Record<string, Separator>> = {
  '.': '.',
  ',': ',',
  ' ': ' ',
  '\u00a0': ' ',
  '\u2007': ' ',
  '\u2009': ' ',
  '\u202f': ' ',
  "'": "'",
  '’': "'",
  '٬': '٬',
  '٫': '٫',
}

/** Returns the token at the first digit of a text; null when there is none. Digits are already ASCII. */
export function firstToken(text: string): NumberToken | null {
  const first = text.search(/\d/)
  if (first < 0) return null
  const groups: string[] = []
  const separators: Separator[] = []
  const isPointFirst = /(?:^|[^\p{L}\d./,])[.,]$/u.test(text.slice(0, first))
  if (isPointFirst) {
    groups.push('')
    separators.push(SEPARATORS[text.charAt(first - 1)] ?? '.')
  }
  let end = first
  for (;;) {
    const run = digitsAt(text, end)
    groups.push(run)
    end += run.length
    const cents = splitCents(text, { start: first, end })
    if (cents && !isPointFirst) {
      groups.push(cents.digits)
      separators.push(cents.mark)
      end = cents.end
      break
    }
    const separator = SEPARATORS[text.charAt(end)]
    if (separator === undefined || !continues(groups, separators, separator, digitsAt(text, end + 1))) break
    separators.push(separator)
    end += 1
  }
  return { groups, separators, start: isPointFirst ? first - 1 : first, end }
}

/**
 * Returns whether the number continues after a separator. A space or an apostrophe may also end it (`15 256`, `5'11`),
 * so the number continues only where it is a regular thousands separator.
 */
function continues(groups: readonly string[], before: readonly Separator[], next: Separator, run: string): boolean {
  if (run === '') return false
  if (next !== ' ' && next !== "'") return true
  const first = groups[0] ?? ''
  const isGrouped = before.every((separator) => separator === next)
  return isGrouped && run.length === 3 && first.length <= 3 && !first.startsWith('0')
}

const digitsAt = (text: string, at: number) => /^\d*/.exec(text.slice(at))?.[0] ?? ''

/** Two digits behind a mark with white space beside it, and no further number. */
const SPLIT = /(?:\s+([.,])\s*|([.,])\s+)(\d\d)(?![.,]?\d)/y
const CURRENCY_BEFORE = /(\p{L}{0,4}\p{Sc}|[\p{L}\p{M}]{1,6}\.?)\s?[-+−]?\s?$/u
const CURRENCY_BEHIND = /^\s?(\p{L}{0,4}\p{Sc}|[\p{L}\p{M}]{1,6}\.?)/u
/** A word or a percentage: the digits before it belong to it. */
const COUNTS_SOMETHING = /^\s*[\p{L}%٪‰]/u
/** A word between two prices: `$119. 95 was $149.95`. */
const OTHER_PRICE = /^\s*\p{L}+:?\s*\p{Sc}/u

/**
 * Returns the cents of a price that a page splits by white space, as pages with small cents do: `$119. 95`,
 * `119 ,95 €`. Without a currency these are two numbers. Digits that count something belong to it:
 * `$10, 20 pieces` and `$10. 25 left` have no cents. A comma separates numbers of a sentence more often than a dot.
 */
function splitCents(text: string, { start, end }: { readonly start: number; readonly end: number }) {
  SPLIT.lastIndex = end
  const found = SPLIT.exec(text)
  if (!found) return null
  const mark: Separator = (found[1] ?? found[2]) === ',' ? ',' : '.'
  const behind = text.slice(SPLIT.lastIndex)
  const isBefore = isCurrency(CURRENCY_BEFORE.exec(text.slice(0, start))?.[1])
  const isBehind = isCurrency(CURRENCY_BEHIND.exec(behind)?.[1])
  const counts = COUNTS_SOMETHING.test(behind) && !(mark === '.' && OTHER_PRICE.test(behind))
  const isPrice = mark === '.' ? isBefore && (isBehind || !counts) : isBehind || (isBefore && !counts)
  return isPrice ? { mark, digits: found[3] ?? '', end: SPLIT.lastIndex } : null
}

const isCurrency = (text: string | undefined) => text !== undefined && currencyKind(text) !== null
