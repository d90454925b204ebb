import type { Json } from '../../schema/shape/json.ts'
import { textChangedBehindCut, changedBehindCut, roomOf } from '../diff/behind-cut.ts'
import { diffLines } from '../diff/diff-lines.ts'
import { isList, valueOf } from '../diff/diff-values.ts'
import type { Judged, PageTexts } from './judged.ts'
import type { Leaf } from './leaf.ts'
import { listBefore } from './list-changes.ts'
import { PAGE_FIELD, pageDiff } from './page-lines.ts'
import { perField } from './per-field.ts'

/** Lines that a field gained or lost. */
interface ChangedLines {
  /** How many. Lines behind a cut, of which nothing is known but that they differ, count as one. */
  readonly count: number
  /** Those that are known, one a line: none of them holds a line end. */
  readonly text: string
  /** Nothing is known of them, and any pattern counts as matching: an alert too many is better than a lost one. */
  readonly isUnknown?: true
}

/** Returns the lines that a condition is about. */
export function linesThatChanged(
  { type, field }: Extract<Leaf, { type: 'lines_added' | 'lines_removed' }>,
  judged: Judged,
): ChangedLines {
  const changed = judged.diff?.fields_changed.includes(field) ?? false
  if (!changed) return NONE
  return type === 'lines_added' ? addedLines(judged, field) : removedLines(judged, field)
}

const NONE: ChangedLines = { count: 0, text: '' }

/** The lines of a list that was missing for a moment are compared with those before it was. */
const addedLines = perField(({ before, after, lists, page }: Judged, field): ChangedLines => {
  if (page && field === PAGE_FIELD) return linesOfPage(page, 'added')
  const from = listBefore(field, before, lists)
  const to = valueOf(after, field)
  return changedLines(diffLines(from, to).added, () => hasMoreBehindCut(from, to, () => roomOf(after, field)))
})

const removedLines = perField(({ before, after, page }: Judged, field): ChangedLines => {
  if (page && field === PAGE_FIELD) return linesOfPage(page, 'removed')
  const from = valueOf(before, field)
  const to = valueOf(after, field)
  return changedLines(diffLines(from, to).removed, () => hasMoreBehindCut(to, from, () => roomOf(before, field)))
})

function linesOfPage(page: PageTexts, which: 'added' | 'removed'): ChangedLines {
  const { [which]: lines, more } = pageDiff(page)
  const changed = changedLines(lines, () => more !== null)
  return more === 'unknown' ? { ...changed, isUnknown: true } : changed
}

const changedLines = (lines: readonly string[], isMore: () => boolean): ChangedLines => ({
  count: lines.length || (isMore() ? 1 : 0),
  text: lines.join('\n'),
})

function hasMoreBehindCut(from: Json, to: Json, room: () => number): boolean {
  if (isList(to)) return changedBehindCut(from ?? [], to, room)
  return typeof to === 'string' && textChangedBehindCut(from ?? '', to, room)
}
