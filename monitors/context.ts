import type { Requester } from '../schema/account/audit.ts'
import type { Queryable } from '../store/db/client.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'

/** What the use cases of this folder work with. */
export interface MonitorContext {
  /** The pool, or a transaction: within one, a use case is a part of it. */
  readonly store: Queryable
  readonly secrets: SecretBox
  /** Tells the workers of this process that something is due now. Called after the use case's own transaction. */
  wake(): void
}

/** A monitor of a team, and who wants to do something to it. */
export interface OneMonitor extends Requester {
  readonly id: string
}
