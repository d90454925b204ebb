import type { Json, Values } from '../../schema/shape/json.ts'
import type { Diff } from '../../schema/run/run.ts'
import { equalValues } from './equal-values.ts'

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

const NONE: readonly string[] = []

function unordered(before: Values, after: Values, order: readonly string[]): Iterable<string> {
  // The store keeps keys in an order of its own, so the same index is likely, not certain.
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
