import type { FastifyBaseLogger } from 'fastify'
import { createHash } from 'node:crypto'
import { PAGES } from '../../schema/account/pages.ts'
import type { Tier } from '../../schema/account/plan.ts'
import { forgetOtherResetTokens } from '../../store/accounts/account-links.ts'
import type { MailQueue, NewMail } from '../../store/accounts/mail-queue.ts'
import { ensureTeam } from '../../store/accounts/team/teams.ts'
import type { Store, Transaction } from '../../store/db/client.ts'
import type { RateLimits } from './rate-limits.ts'

interface AccountMailsOptions {
  readonly store: Store
  readonly mail: MailQueue
  readonly limits: RateLimits
  readonly baseUrl: string
  /** Plan of an account that has no team yet. */
  readonly plan: Tier
  readonly log: FastifyBaseLogger
}

/** An account, as the sign-in library knows it. */
interface Recipient {
  readonly id: string
  readonly email: string
  readonly emailVerified?: boolean
}

/** The mails that the sign-in library asks for. */
export interface AccountMails {
  confirmAddress(to: Recipient, token: string): Promise<void>
  resetPassword(to: Recipient, token: string): Promise<void>
  /**
   * Tells the owner of an account that somebody signed up with its address. Returns at once, so that the answer to the
   * sign-up takes no longer than for an unknown address.
   */
  notifyOfSignUp(to: Recipient): void
}

/** A person who asks again and again must not fill somebody's mailbox. */
const MAILS_PER_MINUTE = 1

/** Returns what queues the mails of sign-in; null where this installation sends none. */
export function createAccountMails(options: AccountMailsOptions): AccountMails | null {
  const { store, mail, limits, baseUrl, plan, log } = options
  if (!mail.hasServer) return null

  async function queue(
    { id, email }: Recipient,
    { kind, link }: { readonly kind: 'verify_email' | 'reset_password' | 'account_exists'; readonly link: string },
    also?: (tx: Transaction) => Promise<void>,
  ): Promise<void> {
    const subject = `mail:${kind}:${createHash('sha256').update(email).digest('base64url')}`
    const { passed } = await limits.take({ subject, perMinute: MAILS_PER_MINUTE, exact: true })
    if (!passed) return
    await store.transaction(async (tx) => {
      // The library writes the account first, and its team comes after it.
      const teamId = await ensureTeam(tx, { ownerId: id, ownerEmail: email, plan, serp: false })
      await also?.(tx)
      await mail.add(tx, { kind, teamId, to: email, link } satisfies NewMail)
    })
  }

  const page = (path: string, token: string) => `${baseUrl}${path}?token=${encodeURIComponent(token)}`
  return {
    confirmAddress: async (to, token) => {
      if (to.emailVerified !== true) await queue(to, { kind: 'verify_email', link: page(PAGES.verify, token) })
    },
    resetPassword: (to, token) =>
      queue(to, { kind: 'reset_password', link: page(PAGES.reset, token) }, (tx) =>
        forgetOtherResetTokens(tx, to.id, token),
      ),
    notifyOfSignUp: (to) =>
      void queue(to, { kind: 'account_exists', link: baseUrl }).catch((err: unknown) =>
        log.warn({ err }, 'a mail about a sign-up could not be queued'),
      ),
  }
}
