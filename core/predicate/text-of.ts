import type { Json } from '../../schema/shape/json.ts'

/**
 * The text that a pattern is tried on: text as it is, numbers and booleans as they are written, lists and objects as
 * JSON, nothing as ''.
 */
export function textOf(value: Json): string {
  const element = single(value)
  if (typeof element === 'string') return element
  return element === null ? '' : JSON.stringify(element)
}

/** A list of one element counts as its element. */
export function single(value: Json): Json {
  return Array.isArray(value) && value.length === 1 ? (value[0] as Json) : value
}
