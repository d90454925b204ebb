/** Control characters, and those that turn the direction of text. Names and values come from untrusted pages. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Returns a text as a terminal may show it: what could move its cursor or change its colours is written as an escape.
 * Lines are joined, unless `keep` has the line break.
 */
export function printable(text: string, keep = ''): string {
  return text.replaceAll(UNSAFE, (character) => {
    if (keep.includes(character)) return character
    return character === '\n' || character === '\t' || character === '\r' ? ' ' : escaped(character)
  })
}

/** Returns JSON or YAML with what these formats leave as it is, and a terminal does not. */
export const printableDocument = (text: string): string =>
  text.replaceAll(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, escaped)
