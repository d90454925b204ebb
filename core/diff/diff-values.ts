import { createHash, hash } from 'node:crypto'
import { VALUE_LIMITS } from '../../schema/monitor/value-limits.ts'
import type { Diff } from '../../schema/run/run.ts'
import type { Json, Values } from '../../schema/shape/json.ts'

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
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

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

/** How two lists differ. An item that occurs twice counts twice. */
interface ListDiff {
  /** Items of the new list that the old one does not have, in the order of the new one. */
  readonly added: readonly Json[]
  /** Items of the old list that the new one does not have, in the order of the old one. */
  readonly removed: readonly Json[]
  /** The fewest items of both that have to be moved to get the new order, in that order. */
  readonly moved: readonly Json[]
}

/**
 * Returns the difference of two lists. Items are compared as values are: white space in texts is folded, a change of
 * type is a change. Time is n log n.
 *
 * A list that was cut ends in a mark, which is not an item. At its end other items appear and disappear whenever an
 * item before them comes or goes. So the last items are not added when the old list was cut, and not removed when the
 * new one is.
 */
export function diffLists(before: readonly Json[], after: readonly Json[]): ListDiff {
  const old = withoutMark(before)
  const now = withoutMark(after)
  const places = placesOf(old)
  /** For each item of the new list: its place in the old one, or null. */
  const cameFrom = now.map((item) => places.get(canonicalValue(item))?.shift() ?? null)
  const kept = new Set(cameFrom)
  const endOfNew = old.length < before.length ? afterLast(now, (_, at) => cameFrom[at] !== null) : now.length
  const endOfOld = now.length < after.length ? afterLast(old, (_, at) => kept.has(at)) : old.length
  return {
    added: now.filter((_, at) => cameFrom[at] === null && at < endOfNew),
    removed: old.filter((_, at) => !kept.has(at) && at < endOfOld),
    moved: movedOf(now, cameFrom),
  }
}

/** Returns the place behind the last item that both lists have; the length when they have none in common. */
function afterLast(list: readonly Json[], isKept: (item: Json, at: number) => boolean): number {
  const last = list.findLastIndex(isKept)
  return last < 0 ? list.length : last + 1
}

/** Returns the differences of two values when both are lists; null when they are not. */
export function diffIfLists(before: Json, after: Json): ListDiff | null {
  return isList(before) && isList(after) ? diffLists(before, after) : null
}

const CUT = /^…\[truncated sha256:[0-9a-f]{32}\]$/

/** Returns the mark at the end of a value that was cut. `hex`: a hash of the whole value, in hexadecimal digits. */
export const cutMark = (hex: string): string => `…[truncated sha256:${hex.slice(0, 32)}]`

/** Returns the mark of a whole text or of all items of a list. */
export function markOf(whole: string | Iterable<Json>): string {
  const digest = createHash('sha256')
  if (typeof whole === 'string') digest.update(whole)
  else for (const item of whole) digest.update(JSON.stringify(item))
  return cutMark(digest.digest('hex'))
}

const MARK_LENGTH = cutMark('0'.repeat(32)).length

/** Returns the mark that a value ends in; null when it was not cut. */
function endMark(value: string | readonly Json[]): string | null {
  const last = typeof value === 'string' ? value : value.at(-1)
  if (typeof last !== 'string' || !last.endsWith(']')) return null
  const end = typeof value === 'string' ? last.slice(-MARK_LENGTH) : last
  return CUT.test(end) ? end : null
}

/** Returns whether one or both were cut, and the whole values are the same. */
function isSameWhole(one: string | readonly Json[], other: string | readonly Json[]): boolean {
  const [mark, otherMark] = [endMark(one), endMark(other)]
  if (mark === null && otherMark === null) return false
  return (mark ?? markOf(one)) === (otherMark ?? markOf(other))
}

/** Returns whether a list was cut: its last item is a mark. */
export function isCutList(list: readonly Json[]): boolean {
  const last = list.at(-1)
  return typeof last === 'string' && CUT.test(last)
}

/**
 * Returns whether a list changed behind its cut: both lists were cut, the items before the first cut are the same, and
 * the whole lists are not. Or only the new list was cut, because it has more items than are kept, or more bytes than
 * the room that other fields left: then it has items that the old one, which would fit, does not have.
 */
export function changedBehindCut(before: Json, after: Json, room: () => number): boolean {
  if (!isList(before) || !isList(after) || !isCutList(after)) return false
  if (!isCutList(before)) return after.length === VALUE_LIMITS.items || bytesOf(before) < room()
  const known = Math.min(before.length, after.length) - 1
  return before.at(-1) !== after.at(-1) && equalValues(before.slice(0, known), after.slice(0, known))
}

/** Returns the least room that a field had beside the other values of its reading, in bytes of JSON. */
export function roomOf(values: Values, field: string): number {
  const others = Object.entries(values).filter(([name]) => name !== field)
  return others.reduce((room, [, value]) => room - bytesOf(value), VALUE_LIMITS.resultBytes as number)
}

const bytesOf = (value: Json) => Buffer.byteLength(JSON.stringify(value))

const withoutMark = (list: readonly Json[]) => (isCutList(list) ? list.slice(0, -1) : list)

function placesOf(list: readonly Json[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [at, item] of list.entries()) {
    const key = canonicalValue(item)
    const same = places.get(key)
    if (same) same.push(at)
    else places.set(key, [at])
  }
  return places
}

/** Returns the items that are not part of the longest sequence whose order stayed the same. */
function movedOf(now: readonly Json[], cameFrom: readonly (number | null)[]): readonly Json[] {
  /** For each length, where the best sequence of this length ends: at the smallest place in the old list. */
  const ends: number[] = []
  const previous: number[] = []
  for (const [at, from] of cameFrom.entries()) {
    if (from === null) continue
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((cameFrom[ends[middle] ?? 0] ?? 0) < from) low = middle + 1
      else high = middle
    }
    previous[at] = low === 0 ? -1 : (ends[low - 1] ?? -1)
    ends[low] = at
  }
  const stayed = new Set<number>()
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) stayed.add(at)
  return now.filter((_, at) => cameFrom[at] !== null && !stayed.has(at))
}

/**
 * Returns sixteen bytes that are equal exactly when two readings are (`equalValues`; an absent field is `null`), except
 * for values that were cut at different places: the first half of the SHA-256 of their canonical text. The hash is
 * stored, so that an unchanged reading is recognized without loading the reading before. After a change of the
 * canonical text every monitor compares its values once, and no more.
 */
export function readingHash(values: Values): Buffer {
  return hash('sha256', canonicalText(values), 'buffer').subarray(0, 16)
}

/** Keys are sorted, white space of texts is folded, and fields that are `null` are left out. */
function canonicalText(values: Values): string {
  let text = ''
  for (const name of Object.keys(values).sort()) {
    const value = values[name] ?? null
    if (value !== null) text += `${JSON.stringify(name)}:${canonicalValue(value)}\n`
  }
  return text
}

/** Returns a text that is equal exactly when two values are (`equalValues`). */
function canonicalValue(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(foldText(value))
  // -0 and 0 are the same number; String() writes both as 0.
  if (typeof value !== 'object' || value === null) return String(value)
  return canonicalTree(value)
}

/** A part of the text that is not yet written: a value, or text as it is. */
type Waiting = { readonly value: Json } | { readonly text: string }

/** Uses a stack of its own, so that no nesting overflows the call stack. */
function canonicalTree(root: Json): string {
  const waiting: Waiting[] = [{ value: root }]
  const parts: string[] = []
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if ('text' in next) parts.push(next.text)
    else if (next.value === null || typeof next.value !== 'object') parts.push(canonicalValue(next.value))
    else open(next.value, parts, waiting)
  }
  return parts.join('')
}

function open(value: Exclude<Json, string | number | boolean | null>, parts: string[], waiting: Waiting[]): void {
  if (isList(value)) {
    parts.push('[')
    waiting.push({ text: ']' })
    for (const item of value.toReversed()) waiting.push({ text: ',' }, { value: item })
    return
  }
  parts.push('{')
  waiting.push({ text: '}' })
  for (const key of Object.keys(value).sort().reverse())
    waiting.push({ text: ',' }, { value: value[key] ?? null }, { text: `${JSON.stringify(key)}:` })
}
