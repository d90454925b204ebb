import type { Json } from '../../schema/shape/json.ts'
import { withoutMark } from './cut-mark.ts'
import { isList } from './diff-values.ts'
import { canonicalValue } from './reading-hash.ts'

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
  const cameFrom = now.map((item) => places.get(canonicalValue(item))?.pop() ?? null)
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

/** Returns the places of each item, the last one first: an item is taken from the end of an array at once. */
function placesOf(list: readonly Json[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (let at = list.length - 1; at >= 0; at -= 1) {
    const key = canonicalValue(list[at] ?? null)
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
