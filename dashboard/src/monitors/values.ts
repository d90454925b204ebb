import type { Run } from '../api/types.ts'

/** The field of a page that is watched as a whole. Its value is a hash, which says nothing to people. */
export const WHOLE_PAGE = 'content_hash'

/** A field before and after. Undefined: it was not there. */
interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** Returns what a run found to differ. */
export const changesOf = ({ diff }: Run): readonly FieldChange[] =>
  (diff.fields_changed ?? []).map((field) => ({ field, before: diff.before?.[field], after: diff.after?.[field] }))

/** Shorter texts are read at one glance, before beside after. */
const LONG = 40

/** Returns whether a field has texts of which the words that differ are worth showing. */
export function isLongText({ field, before, after }: FieldChange): boolean {
  if (typeof before !== 'string' || typeof after !== 'string') return false
  return field === WHOLE_PAGE || before.length > LONG || after.length > LONG
}

/** Returns a value as text: texts as they are, all else as JSON. What is longer than `most` is cut. */
export function shownValue(value: unknown, most: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? '')
  return text.length > most ? `${text.slice(0, most)}…` : text
}
