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
