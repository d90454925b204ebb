/** The predicates that hold for one kind of changes of a text. */
export type LinesType = 'lines_added' | 'lines_removed' | 'list_gains_unseen_items'

/** Returns the predicate for one kind of changes, of any field. Null: a whole page has lines, but no items. */
export function linesPredicate(type: LinesType, extract: object): object | null {
  const { fields } = extract as { readonly fields?: object }
  if (fields === undefined && type === 'list_gains_unseen_items') return null
  const conditions = Object.keys(fields ?? { content_hash: '' }).map((field) => ({ type, field }))
  return conditions.length === 1 ? (conditions[0] ?? null) : { type: 'composite', operator: 'OR', conditions }
}
