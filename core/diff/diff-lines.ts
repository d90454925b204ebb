import type { Json } from '../../schema/shape/json.ts'
import { splitMark } from './cut-mark.ts'
import { diffLists } from './diff-lists.ts'
import { foldText, isList } from './diff-values.ts'

/** How the lines of two values differ. A line that only changes its place does not count. */
interface LineDiff {
  /** Lines of the new value that the old one does not have, in the order of the new one. */
  readonly added: readonly string[]
  /** Lines of the old value that the new one does not have, in the order of the old one. */
  readonly removed: readonly string[]
}

/** Returns the difference of the lines of two values. What is behind a cut counts as in `diffLists`. */
export function diffLines(before: Json, after: Json): LineDiff {
  return diffOfLines(linesOf(before), linesOf(after))
}

/** Returns the difference of lines as `linesOf` returns them. */
export function diffOfLines(before: readonly string[], after: readonly string[]): LineDiff {
  const { added, removed } = diffLists(before, after)
  return { added: added as readonly string[], removed: removed as readonly string[] }
}

/**
 * Returns the lines of a value. Those of a text are what stands between its line ends, those of a list its items, and a
 * number, a boolean and an object is one line, as JSON writes it. White space is folded. What is empty or null has
 * no line. The lines of a value that was cut end in its mark, and a line that the cut went through is left out.
 */
export function linesOf(value: Json): readonly string[] {
  if (isList(value)) return value.map(lineOf).filter((line) => line !== '')
  if (typeof value !== 'string') return [lineOf(value)].filter((line) => line !== '')
  const { text, mark } = splitMark(value)
  const lines = text.split(LINE_END)
  if (mark !== null) lines.pop()
  const folded = lines.map(foldText).filter((line) => line !== '')
  return mark === null ? folded : [...folded, mark]
}

const LINE_END = /[\n\r\u2028\u2029]/

function lineOf(value: Json): string {
  if (value === null) return ''
  return foldText(typeof value === 'string' ? value : JSON.stringify(value))
}
