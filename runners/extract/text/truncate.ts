import { cutMark, isCutList, markOf } from '../../../core/diff/cut-mark.ts'
import type { Json, Values } from '../../../schema/shape/json.ts'
import { dictionary } from '../dictionary.ts'
import { EXTRACT_LIMITS } from '../limits.ts'

interface Bounded {
  readonly values: Values
  readonly warnings: readonly string[]
}

/**
 * Cuts what exceeds the limits of a run: strings over 64 KiB, lists over 1,000 items, and fields beyond 256 KiB
 * together. Each cut value ends in a marker with the hash of the whole, so that a change after the cut is still a
 * change. A warning names the field.
 */
export function boundValues(values: Values): Bounded {
  const warnings: string[] = []
  const bounded = dictionary<Json>()
  let left: number = EXTRACT_LIMITS.resultBytes
  for (const [name, value] of Object.entries(values)) {
    const cut = boundField(value, left)
    if (cut !== value || (isList(cut) && isCutList(cut)))
      warnings.push(
        `The field ${name} is longer than a run keeps; it was cut, and its hash shows when the rest changes.`,
      )
    bounded[name] = cut
    left = Math.max(0, left - sizeOf(cut))
  }
  return { values: { ...bounded }, warnings }
}

function boundField(value: Json, left: number): Json {
  if (isList(value)) {
    // A list that was cut before keeps its mark: what is left of it says nothing of the whole.
    const room = { items: EXTRACT_LIMITS.items, bytes: left }
    const kept = boundList(value, (item) => item, room, isCutList(value) ? value.at(-1) : undefined)
    return kept.length === value.length && kept.every((item, at) => item === value[at]) ? value : kept
  }
  const fitting = boundItem(value)
  return sizeOf(fitting) <= left ? fitting : cutText(textOfValue(value), Math.min(left, EXTRACT_LIMITS.itemBytes))
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** Room for the mark as an item of a list. */
const MARK_BYTES = Buffer.byteLength(JSON.stringify(cutMark('0'.repeat(32)))) + 1

/** How many items of a list are kept, and how many bytes of their JSON. */
export interface Room {
  readonly items: number
  readonly bytes: number
}

/**
 * Returns the items of a list, each one cut where it is too long. A list with too many items, or with more bytes of
 * JSON than `room` has, ends in a mark with the hash of all its items instead of the last ones.
 *
 * @param known the mark of the whole list, where `items` end in it already
 */
export function boundList<T>(items: readonly T[], read: (item: T) => Json, room: Room, known?: Json): readonly Json[] {
  const kept: Json[] = []
  let bytes = 2
  for (const [at, one] of items.entries()) {
    const item = boundItem(read(one))
    const size = jsonSize(item)
    if (kept.length === room.items || bytes + size > room.bytes)
      return withMark(
        kept,
        { items: room.items, bytes: room.bytes - bytes },
        known ?? markOf(allOf(kept, items.slice(at), read)),
      )
    kept.push(item)
    bytes += size
  }
  return kept
}

const jsonSize = (item: Json) => Buffer.byteLength(JSON.stringify(item)) + 1

function* allOf<T>(kept: readonly Json[], rest: readonly T[], read: (item: T) => Json): Iterable<Json> {
  yield* kept
  // Cut as the kept ones are: how many are kept depends on the room, and the mark must not.
  for (const item of rest) yield boundItem(read(item))
}

/** Drops the last items until the mark has a place. */
function withMark(kept: Json[], room: Room, mark: Json): readonly Json[] {
  let left = room.bytes
  while (kept.length > 0 && (kept.length === room.items || left < MARK_BYTES)) left += jsonSize(kept.pop() ?? null)
  return [...kept, mark]
}

function boundItem(value: Json): Json {
  return sizeOf(value) <= EXTRACT_LIMITS.itemBytes ? value : cutText(textOfValue(value), EXTRACT_LIMITS.itemBytes)
}

function textOfValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function sizeOf(value: Json): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  return typeof value === 'object' && value !== null ? Buffer.byteLength(JSON.stringify(value)) : 8
}

/** Returns the longest prefix that fits with the marker, not cut inside a character. */
export function cutText(text: string, bytes: number): string {
  const mark = markOf(text)
  const room = Math.max(0, bytes - Buffer.byteLength(mark))
  return new TextDecoder().decode(Buffer.from(text.slice(0, room)).subarray(0, room)).replace(/�+$/, '') + mark
}
