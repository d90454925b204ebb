import type { Requester } from '../schema/account/audit.ts'
import type { Queryable } from '../store/db/client.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { Kind } from './kinds/kind.ts'

/** The ports of the use cases in this folder. */
export interface MonitorContext {
  /** The pool, or a transaction. Within a transaction, a use case is part of it. */
  readonly store: Queryable
  readonly secrets: SecretBox
  /**
   * Wakes the workers of this process, because a check is due now. Called after the use case's own
   * transaction.
   */
  wake(): void
}

/** A monitor of a team, and the requester. A monitor of another kind than the one asked for is unknown. */
export interface OneMonitor extends Requester {
  readonly id: string
}

/** Returns the name of an action in the audit log, which has a name for each kind of monitor. */
export const auditedAs = <What extends MonitorAct>({ audited }: Pick<Kind, 'audited'>, what: What) =>
  `${audited}.${what}` as const

type MonitorAct =
  | 'created'
  | 'updated'
  | 'deleted'
  | 'paused'
  | 'resumed'
  | 'muted'
  | 'unmuted'
  | 'run_triggered'
  | 'secret_rotated'
