import type { Diff } from '../../schema/run/run.ts'
import type { Values } from '../../schema/shape/json.ts'

/** For each field, how many days ago each item that it gained was last shown. Null: it was never. */
export type UnseenAges = ReadonlyMap<string, readonly (number | null)[]>

/**
 * The readable texts of a page that is watched as a whole, in two readings. Null: it is not known. A text that is too
 * long to be kept ends in a mark (`cut-mark.ts`).
 */
export interface PageTexts {
  readonly before: string | null
  readonly after: string | null
}

/** A difference to test. `diff` is null when nothing differs; then no predicate holds. */
export interface Judged {
  readonly diff: Diff | null
  readonly before: Values
  readonly after: Values
  /**
   * Items of lists that were empty only in the last readings, and the last numbers of fields that had none since
   * (`lastNumbers`). Null or absent: there are none.
   */
  readonly lists?: Values | null
  /** What fields gained, against all that they have shown. Absent: only these two readings are known. */
  readonly unseen?: UnseenAges | undefined
  /** Its lines are those of `content_hash`. Absent: no whole page is watched, or nothing asks for its lines. */
  readonly page?: PageTexts | undefined
}
