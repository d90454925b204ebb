/**
 * Characters that a terminal may act on, that reverse the direction of text, or that are not seen. Names and values
 * come from untrusted pages.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu
/** Those of them that JSON and YAML leave as they are. */
const LEFT_BY_FORMATS = /[\u007f-\u009f\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu
const DIGITS = 4

/** Returns the escape that JSON has for a character: two of them for one beyond the first 65,536. */
const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(DIGITS, '0')}`)
    .join('')

/**
 * Returns a text as a terminal may show it: what could move its cursor, change its colours or hide is written as an
 * escape. Lines are joined, unless `keep` has the line break.
 */
export function printable(text: string, keep = ''): string {
  return text.replaceAll(UNSAFE, (character) => {
    if (keep.includes(character)) return character
    return character === '\n' || character === '\t' || character === '\r' ? ' ' : escaped(character)
  })
}

/** The colours of `coloured`, as a terminal gets them. */
const COLOURS = /(\u001b\[(?:3[1239]|90)m)/

/**
 * Returns a whole output as a terminal may show it: with its lines and our colours. Whatever else a terminal may act on
 * was written by a page, a server or another person, and becomes an escape.
 */
export const forTerminal = (text: string): string =>
  text
    .split(COLOURS)
    .map((part, at) => (at % 2 === 1 ? part : printable(part, '\n\t')))
    .join('')

/** Returns JSON, or YAML whose texts with such characters are in double quotes, with the escapes of these formats. */
export const printableDocument = (text: string): string => text.replaceAll(LEFT_BY_FORMATS, escaped)

/** Returns whether a text has a character that `printableDocument` writes as an escape. */
export const hasEscapes = (text: string): boolean => text.search(LEFT_BY_FORMATS) >= 0
