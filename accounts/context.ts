import type { MailQueue } from '../store/accounts/mail-queue.ts'
import type { Queryable } from '../store/db/client.ts'

/** The ports of the use cases in this folder. */
export interface AccountContext {
  /** The pool, or a transaction. Within a transaction, a use case is part of it. */
  readonly store: Queryable
}

/** The ports of use cases that send mail with links. */
export interface MailingContext extends AccountContext {
  readonly mail: MailQueue
  /** The address under which people reach this installation, without a slash at its end. */
  readonly baseUrl: string
}
