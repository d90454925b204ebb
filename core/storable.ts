import type { Json, Values } from '../schema/shape/json.ts'

/**
 * Characters that JSON can express and a Postgres text cannot: NUL and halves of surrogate pairs, as `JSON.stringify`
 * writes them. `\\` is matched so that it is skipped.
 */
const UNSTORABLE = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g

/**
 * Returns the values as the store can keep them. NUL and lone surrogates become U+FFFD, as an HTML parser does it, and
 * a value that is not a JSON number becomes `null`. This is done before the reading is hashed and compared, so that the
 * stored values are the compared ones.
 */
export function storable(values: Values): Values {
  return Object.values(values).every(isStorable) ? values : (JSON.parse(cleaned(values)) as Values)
}

/** Does the same for a value of any shape that JSON expresses. */
export const storableJson = <T extends object>(value: T): T => JSON.parse(storableText(JSON.stringify(value))) as T

function isStorable(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  const text = JSON.stringify(value)
  if (text.includes('null') && !holdsFinite(value)) return false
  return !text.includes('\\u') || cleaned(value) === text
}

/** Uses its own stack, so that no nesting overflows the call stack. */
function holdsFinite(root: Json): boolean {
  const pile: Json[] = [root]
  for (let value = pile.pop(); value !== undefined; value = pile.pop()) {
    if (typeof value === 'number' && !Number.isFinite(value)) return false
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) pile.push(inner)
  }
  return true
}

function cleaned(value: Json | Values): string {
  return storableText(JSON.stringify(value))
}

/** Returns the text of a JSON value with the replacements of `storable`. */
export function storableText(json: string): string {
  return json.replace(UNSTORABLE, (match) => (match === '\\\\' ? match : '\\ufffd'))
}
