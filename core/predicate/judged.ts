import type { Diff } from '../../schema/run/run.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { UnseenAges } from './unseen-items.ts'

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
}
