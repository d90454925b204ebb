import { stringEnd } from '../../extract/json/prescan-json.ts'

/** The position of a value in a JSON text: from its first character to the one after its last. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Returns whether `JSON.parse` accepts the text. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const QUOTE = 34
const COMMA = 44
const OPEN_ARRAY = 91
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/**
 * Finds the positions of values in a JSON text. Pages are cut and joined as text, never parsed and serialized again. So
 * a number that no double can represent, the order of keys, and names such as `__proto__` stay as they were sent. All
 * functions take text that `JSON.parse` accepts, and are linear in it.
 */
export function rootSpan(text: string): Span {
  const start = skipSpace(text, 0)
  return { start, end: valueEnd(text, start) }
}

export const isArrayAt = (text: string, at: number): boolean => text.charCodeAt(at) === OPEN_ARRAY
export const isObjectAt = (text: string, at: number): boolean => text.charCodeAt(at) === OPEN_OBJECT

/**
 * Returns the value of an object's member, or null when there is none. Of several with one name it is the last, as in
 * `JSON.parse`.
 */
export function memberSpan(text: string, object: Span, name: string): Span | null {
  let found: Span | null = null
  let at = skipSpace(text, object.start + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = stringEnd(text, at) + 1
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = valueEnd(text, start)
    if (isName(text, { start: at, end: keyEnd }, name)) found = { start, end }
    at = skipSpace(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
  return found
}

/** Most keys have no escapes and are compared without parsing. */
function isName(text: string, { start, end }: Span, name: string): boolean {
  const raw = text.slice(start + 1, end - 1)
  return raw === name || (raw.includes('\\') && JSON.parse(text.slice(start, end)) === name)
}

/** Returns the element of an array at an index, or null when the array is shorter. */
export function elementSpan(text: string, array: Span, index: number): Span | null {
  let left = index
  for (const span of elements(text, array)) {
    if (left === 0) return span
    left -= 1
  }
  return null
}

/** Returns the number of elements of an array. */
export function countElements(text: string, array: Span): number {
  let count = 0
  for (const _ of elements(text, array)) count += 1
  return count
}

function* elements(text: string, array: Span): Generator<Span> {
  let at = skipSpace(text, array.start + 1)
  while (at < text.length && text.charCodeAt(at) !== CLOSE_ARRAY) {
    const end = valueEnd(text, at)
    yield { start: at, end }
    at = skipSpace(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  for (let char = text.charCodeAt(at); char === 32 || (char >= 9 && char <= 13); char = text.charCodeAt(at)) at += 1
  return at
}

function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return stringEnd(text, start) + 1
  return first === OPEN_ARRAY || first === OPEN_OBJECT ? nestedEnd(text, start) : scalarEnd(text, start)
}

function nestedEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = stringEnd(text, at)
    else if (char === OPEN_ARRAY || char === OPEN_OBJECT) depth += 1
    else if (char === CLOSE_ARRAY || char === CLOSE_OBJECT) depth -= 1
    if (depth === 0) return at + 1
  }
  return text.length
}

function scalarEnd(text: string, start: number): number {
  let at = start
  while (at < text.length && !',]} \t\n\r'.includes(text.charAt(at))) at += 1
  return at
}
