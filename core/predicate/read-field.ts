import type { Json, Values } from '../../schema/shape/json.ts'
import { valueOf } from '../diff/diff-values.ts'
import { readNumber } from '../number/read-number.ts'
import { perField } from './per-field.ts'

/** Returns the number that a field means; null when the field is missing or not a number. */
export const numberOf = perField((values: Values, field) => readNumber(elementOf(values, field)))

/** Returns the value of a field; of a list of one element its element, which predicates test in place of the list. */
export function elementOf(values: Values, field: string): Json {
  const value = valueOf(values, field)
  return Array.isArray(value) && value.length === 1 ? ((value[0] as Json | undefined) ?? null) : value
}

/**
 * Returns the text of a field that a pattern is tested on: strings as they are, numbers and booleans as JSON writes
 * them, lists and objects as JSON. Returns null for null.
 */
export const textOf = perField((values: Values, field) => {
  const looked = elementOf(values, field)
  if (looked === null) return null
  return typeof looked === 'string' ? looked : JSON.stringify(looked)
})
