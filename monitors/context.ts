import type { Requester } from '../schema/account/audit.ts'
import type { Queryable } from '../store/db/client.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'

/** The ports of the use cases in this folder. */
export interface MonitorContext {
  /** The pool, or a transaction. Within a transaction, a use case is part of it. */
  readonly store: Queryable
  readonly secrets: SecretBox
  /**
   * Wakes the workers of this process, because a run or delivery is due now. Called after the use case's own
   * transaction.
   */
  wake(): void
}

/** A monitor of a team, and the requester. */
export interface OneMonitor extends Requester {
  readonly id: string
}
