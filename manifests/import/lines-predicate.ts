/** The predicates that hold for one kind of changes of a text. */
export type LinesType = 'lines_added' | 'lines_removed' | 'list_gains_unseen_items'

/**
 * Returns the predicate that holds for one kind of changes, of any field. Null: it has no fields,
 * because it watches a whole page, of which a predicate sees a hash alone.
 */
export function linesPredicate(type: LinesType, extract: object): object | null {
  const names = Object.keys((extract as { readonly fields?: object }).fields ?? {})
  const conditions = names.map((field) => ({ type, field }))
  if (conditions.length === 0) return null
  return conditions.length === 1 ? (conditions[0] ?? null) : { type: 'composite', operator: 'OR', conditions }
}
