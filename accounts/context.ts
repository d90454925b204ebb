import type { Queryable } from '../store/db/client.ts'

/** The ports of the use cases in this folder. */
export interface AccountContext {
  /** The pool, or a transaction. Within a transaction, a use case is part of it. */
  readonly store: Queryable
}
