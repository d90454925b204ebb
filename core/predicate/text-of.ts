import type { Json } from '../../schema/shape/json.ts'

/**
 * Returns the text that a pattern is tested on: text as it is, numbers and booleans as they are written, lists and
 * objects as JSON, and '' for null.
 */
export function textOf(value: Json): string {
  const element = single(value)
  if (typeof element === 'string') return element
  return element === null ? '' : JSON.stringify(element)
}

/** Returns the element of a list of one element; otherwise the value itself. */
export function single(value: Json): Json {
  return Array.isArray(value) && value.length === 1 ? (value[0] as Json) : value
}
