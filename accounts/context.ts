import type { Queryable } from '../store/db/client.ts'

/** What the use cases of this folder work with. */
export interface AccountContext {
  /** The pool, or a transaction: within one, a use case is a part of it. */
  readonly store: Queryable
}
