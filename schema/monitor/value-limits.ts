// Extraction threads need these two. Nothing is imported here: the schema library would be most of what they load.

/**
 * Limits of the values of a run. What exceeds them is cut, and the run warns. `items` counts the items of one list.
 * Sizes are in bytes of UTF-8: one text or item, and all fields of a run together.
 */
export const VALUE_LIMITS = { items: 1_000, itemBytes: 64 * 1024, resultBytes: 256 * 1024 } as const

/** The end of a CSS or XPath expression that gives a list. Without it, neither language allows this ending. */
const LIST_END = /\[\]\s*$/

/** The end of a CSS rule, before `[]`, that reads something else than the text of the matched elements. */
export const CSS_PART = /::(?:text|attr\(([^()]*)\))\s*(?:\[\]\s*)?$/i

/**
 * Returns the expression of a CSS or XPath rule that ends in `[]`, which gives the list of all its matches. Null: the
 * rule gives its first match.
 */
export const listExpression = (rule: string): string | null =>
  LIST_END.test(rule) ? rule.replace(LIST_END, '').trim() : null
