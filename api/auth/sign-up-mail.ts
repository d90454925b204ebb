import { createHash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { MailQueue } from '../../store/accounts/mail-queue.ts'
import { findOwnedTeam } from '../../store/accounts/teams.ts'
import type { Store } from '../../store/db/client.ts'
import type { RateLimits } from './rate-limits.ts'

interface SignUpMailOptions {
  readonly store: Store
  readonly mail: MailQueue
  readonly limits: RateLimits
  readonly baseUrl: string
  readonly log: FastifyBaseLogger
}

/** Whoever signs up again and again must not fill somebody's mailbox. */
const MAILS_PER_MINUTE = 1

/**
 * Returns what tells the owner of an account by mail that somebody signed up with its address. It returns at once, so
 * that the answer to the sign-up takes no longer than for an unknown address.
 */
export function createSignUpMail({ store, mail, limits, baseUrl, log }: SignUpMailOptions): (email: string) => void {
  async function queue(to: string): Promise<void> {
    const subject = `sign-up:${createHash('sha256').update(to).digest('base64url')}`
    const { passed } = await limits.take({ subject, perMinute: MAILS_PER_MINUTE, exact: true })
    const teamId = passed ? await findOwnedTeam(store, to) : null
    if (teamId !== null) await mail.add(store, { kind: 'account_exists', teamId, to, link: baseUrl })
  }
  return (email) =>
    void queue(email).catch((err: unknown) => log.warn({ err }, 'a mail about a sign-up could not be queued'))
}
