import type { Json, Values } from '../../schema/shape/json.ts'
import { changedBehindCut, roomOf } from '../diff/behind-cut.ts'
import { diffIfLists } from '../diff/diff-lists.ts'
import { valueOf } from '../diff/diff-values.ts'
import type { Judged } from './judged.ts'
import { perField } from './per-field.ts'

/**
 * Returns how many items a list gained. A list that was missing had no items, unless it was missing only for a moment:
 * then those before count. A value that is not a list gains none. A list that changed only behind its cut counts as
 * gained by one, because the part behind the cut may have new items.
 */
export const gained = perField(({ before, after, lists }: Judged, field) => {
  const [from, to] = [listBefore(field, before, lists) ?? [], valueOf(after, field)]
  return diffIfLists(from, to)?.added.length || (changedBehindCut(from, to, () => roomOf(after, field)) ? 1 : 0)
})

/**
 * Returns how many items a list lost. A list that is missing has no items: it lost all of them, and those that stay
 * away when it is back are not lost again. A value that was not a list loses none. A list that changed only behind its
 * cut counts as one that lost an item, because that part may have had others.
 */
export const lost = perField(({ before, after }: Judged, field) => {
  const [from, to] = [valueOf(before, field), valueOf(after, field) ?? []]
  return diffIfLists(from, to)?.removed.length || (changedBehindCut(to, from, () => roomOf(before, field)) ? 1 : 0)
})

/** Returns the value that a field's new value is compared with as a list. */
export function listBefore(field: string, before: Values, lists: Values | null = null): Json {
  const known = lists && valueOf(lists, field)
  return Array.isArray(known) ? known : valueOf(before, field)
}
