/** A field that changed. The texts are one line each, of any length, and not escaped for any format. */
export interface Change {
  readonly field: string
  readonly before: string
  readonly after: string
  /** How far a number moved, such as `−12.5 %`; null where there is nothing useful to say. */
  readonly note: string | null
  /** Short enough for `before → after` on one line. */
  readonly isShort: boolean
  /** For a list, shown in place of the two values: what was added, removed and moved. Null: it is not a list. */
  readonly items: ListItems | null
}

/** Items of a list that were added, removed or moved. */
export interface ListItems {
  /** One line each, such as `+ A new item`. Not all of them: `total` counts all. */
  readonly lines: readonly string[]
  readonly total: number
}
