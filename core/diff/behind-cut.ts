import { VALUE_LIMITS } from '../../schema/monitor/value-limits.ts'
import type { Json, Values } from '../../schema/shape/json.ts'
import { isCutList } from './cut-mark.ts'
import { linesOf } from './diff-lines.ts'
import { equalValues, isList } from './diff-values.ts'

/**
 * Returns whether a list changed behind its cut: both lists were cut, the items before the first cut are the same, and
 * the whole lists are not. Or only the new list was cut, because it has more items than are kept, or more bytes than
 * the room that other fields left: then it has items that the old one, which would fit, does not have.
 */
export function changedBehindCut(before: Json, after: Json, room: () => number): boolean {
  if (!isList(before) || !isList(after) || !isCutList(after)) return false
  if (!isCutList(before)) return after.length === VALUE_LIMITS.items || bytesOf(before) < room()
  return isOtherBehindCut(before, after)
}

/**
 * Returns the same of two texts, of which a list or a scalar before counts as uncut. A text is cut where it has more
 * bytes than one value may, or than the room that other fields left.
 */
export function textChangedBehindCut(before: Json, after: string, room: () => number): boolean {
  const [old, now] = [linesOf(before), linesOf(after)]
  if (!isCutList(now)) return false
  if (isCutList(old)) return isOtherBehindCut(old, now)
  const text = typeof before === 'string' ? before : JSON.stringify(before)
  return Buffer.byteLength(text) < Math.min(VALUE_LIMITS.itemBytes, room())
}

/** Of two lists that were cut. */
function isOtherBehindCut(before: readonly Json[], after: readonly Json[]): boolean {
  const known = Math.min(before.length, after.length) - 1
  return before.at(-1) !== after.at(-1) && equalValues(before.slice(0, known), after.slice(0, known))
}

/** Returns the least room that a field had beside the other values of its reading, in bytes of JSON. */
export function roomOf(values: Values, field: string): number {
  const others = Object.entries(values).filter(([name]) => name !== field)
  return others.reduce((room, [, value]) => room - bytesOf(value), VALUE_LIMITS.resultBytes as number)
}

const bytesOf = (value: Json) => Buffer.byteLength(JSON.stringify(value))
