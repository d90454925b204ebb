import { EXTRACT_LIMITS } from '../limits.ts'

const QUOTE = 34
const COMMA = 44

/**
 * A member whose whole name is a backslash. After parsing one, V8 13.6 gives the same name to the next member at the
 * same position whose name is written with an escape, even in the page of another monitor: `{"a":1,"\\":2}`, then
 * `{"a":1,"\u0062":2}`.
 */
const POISON = /"\\(?:\\|u005c)"\s*:/gi

/**
 * Checks JSON before it is parsed: its depth and its number of values (commas and brackets, so an upper bound).
 * `JSON.parse` accepts a million levels; code that walks the value afterwards does not. Returns a sentence about what
 * exceeds a limit, or null.
 */
export function prescanJson(text: string): string | null {
  if (text.includes('"\\') && text.search(POISON) !== -1)
    return 'The JSON has a member that is named by a backslash alone.'
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = stringEnd(text, at)
    else if (char === COMMA) values += 1
    else if (char === 91 || char === 123) {
      depth += 1
      values += 1
      if (depth > EXTRACT_LIMITS.jsonDepth) return `The JSON nests more than ${EXTRACT_LIMITS.jsonDepth} deep.`
    } else if (char === 93 || char === 125) depth -= 1
    if (values > EXTRACT_LIMITS.jsonValues)
      return `The JSON has more than ${EXTRACT_LIMITS.jsonValues.toLocaleString('en')} values.`
  }
  return null
}

/** Gives such members another name, for uses where only equality with an earlier text counts. */
export function renamePoison(text: string): string {
  return text.includes('"\\') ? text.replace(POISON, '"\\\\ alone":') : text
}

/** Returns the closing quote of the string that begins at `from`, or the end of the text. Linear. */
export function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === 92) slashes += 1
    if (slashes % 2 === 0) return at
  }
  return text.length
}
