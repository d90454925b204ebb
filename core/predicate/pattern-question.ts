import type { Judged } from './judged.ts'
import type { Leaf } from './leaf.ts'
import { linesThatChanged } from './line-changes.ts'
import { textOf } from './read-field.ts'

/** A pattern and the text that it is tested on. */
export interface PatternQuestion {
  readonly pattern: string
  readonly text: string
  /** Whether one of the lines of the text matches, each by itself. Absent: whether the text does. */
  readonly byLine?: true
}

/** Returns the question that a leaf depends on. Null: no pattern is to be tested, and the leaf does not hold. */
export function questionOf(leaf: Extract<Leaf, { pattern?: string }>, judged: Judged): PatternQuestion | null {
  const { pattern } = leaf
  if (pattern === undefined) return null
  if (leaf.type === 'field_matches_regex') {
    const text = textOf(judged.after, leaf.field)
    return text === null ? null : { pattern, text }
  }
  const { text } = linesThatChanged(leaf, judged)
  return text === '' ? null : { pattern, text, byLine: true }
}
