import type { MailQueue } from '../store/accounts/mail-queue.ts'
import type { ReachedBound } from '../store/accounts/team/invitation-mails.ts'
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

/** The ports of use cases that send invitations. */
export interface InvitingContext extends MailingContext {
  /** Invitation mails an hour of all teams together. 0: any number. */
  readonly invitationMailsPerHour: number
  /** Tells the people who run the installation that a bound of several teams refused an invitation. */
  onSharedBound(reached: ReachedBound): void
}
