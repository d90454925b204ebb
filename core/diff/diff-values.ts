import type { Diff } from '../../schema/run/run.ts'
import type { Json, Values } from '../../schema/shape/json.ts'
import { isSameWhole } from './cut-mark.ts'

/**
 * Returns the difference of two readings; null when they are equal. `order` is the names of the extract config in their
 * order, and changed fields are listed in it. A name that `order` does not contain comes after them, in the reading's
 * order. An absent field counts as `null`.
 *
 * `before` and `after` contain the changed fields only. So `fields_changed` is complete, a receiver need not compare,
 * and a page of fifty fields makes a small message. The whole reading is the run's `extracted`.
 */
export function diffValues(before: Values, after: Values, order: readonly string[]): Diff | null {
  let changed: string[] | null = null
  for (const name of order) {
    if (!equalValues(valueOf(before, name), valueOf(after, name))) (changed ??= []).push(name)
  }
  for (const name of unordered(before, after, order)) {
    if (!equalValues(valueOf(before, name), valueOf(after, name))) (changed ??= []).push(name)
  }
  if (!changed) return null
  return { fields_changed: changed, before: pick(before, changed), after: pick(after, changed) }
}

/** Returns the field's value; `null` when the reading has none, whatever `Object.prototype` has under that name. */
export function valueOf(values: Values, name: string): Json {
  return Object.hasOwn(values, name) ? (values[name] ?? null) : null
}

/** Returns whether the rule of a field has no match: its value is null, or a list without items. */
export const hasNoMatch = (value: Json): boolean => value === null || (isList(value) && value.length === 0)

/**
 * Returns whether a value shows nothing of the page: no match, text of white space alone, or a list without items or of
 * such texts alone. `false` and `0` are values.
 */
export function isEmptyValue(value: Json): boolean {
  return value === null || isBlank(value) || (isList(value) && value.every(isBlank))
}

const isBlank = (value: Json) => typeof value === 'string' && value.trim() === ''

const NONE: readonly string[] = []

function unordered(before: Values, after: Values, order: readonly string[]): Iterable<string> {
  // The store keeps keys in its own order, so the same index is likely, not certain.
  const isKnown = (values: Values) =>
    Object.keys(values).every((name, index) => order[index] === name || order.includes(name))
  if (isKnown(after) && isKnown(before)) return NONE
  const rest = new Set([...Object.keys(after), ...Object.keys(before)])
  for (const name of order) rest.delete(name)
  return rest
}

/** Built from entries, so that a field named `__proto__` is a field. */
function pick(values: Values, names: readonly string[]): Record<string, Json> {
  return Object.fromEntries(names.map((name) => [name, valueOf(values, name)]))
}

/**
 * Returns whether two values are equal for a person. White space in texts is folded, numbers are compared by value (`1`
 * and `1.0`), the order of keys does not matter, the order of lists does. A change of type is a change: `"1"` is not
 * `1`, `null` is not `""`. No depth of nesting overflows the stack. `readingHash` follows the same rules.
 *
 * Where a value was cut depends on the room that other fields left. So two values of which one or both were cut are
 * equal when the whole ones are.
 */
export function equalValues(one: Json, other: Json): boolean {
  const pile: Tree[] = []
  if (!sameTop(one, other, pile)) return false
  for (let left = pile.pop(), right = pile.pop(); left && right; left = pile.pop(), right = pile.pop()) {
    if (!sameParts(left, right, pile)) return false
  }
  return true
}

type Tree = Exclude<Json, string | number | boolean | null>

const isTree = (value: Json): value is Tree => typeof value === 'object' && value !== null
export const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

/**
 * Compares texts, numbers and other scalars. The parts of two lists or two objects are put on the stack and compared
 * later.
 */
function sameTop(one: Json, other: Json, pile: Tree[]): boolean {
  if (one === other) return true
  if (typeof one === 'string')
    return typeof other === 'string' && (foldText(one) === foldText(other) || isSameWhole(one, other))
  if (!isTree(one) || !isTree(other)) return false
  pile.push(one, other)
  return true
}

function sameParts(one: Tree, other: Tree, pile: Tree[]): boolean {
  if (isList(one) || isList(other)) {
    if (!isList(one) || !isList(other)) return false
    if (isSameWhole(one, other)) return true
    if (one.length !== other.length) return false
    return one.every((item, index) => sameTop(item, other[index] ?? null, pile))
  }
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && sameTop(one[key] ?? null, other[key] ?? null, pile))
}

/** Matches white space other than a space, or two spaces in a row. Most text has neither, and is not copied then. */
const UNEVEN = /[^\S ]| {2}/

/**
 * Returns the text trimmed and with white space folded to single spaces: a difference only in white space is not a
 * change.
 */
export function foldText(text: string): string {
  const isEven = !UNEVEN.test(text) && !text.startsWith(' ') && !text.endsWith(' ')
  return isEven ? text : text.replace(/\s+/g, ' ').trim()
}
