import { createHash, randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Mailer } from '../../deliveries/mail/mailer.ts'
import type { RateLimits } from './rate-limits.ts'

interface SignUpMailOptions {
  readonly mailer: Pick<Mailer, 'send'>
  readonly limits: RateLimits
  readonly baseUrl: string
  readonly log: FastifyBaseLogger
}

/** Tells the owner of an account by mail that somebody signed up with its address. */
interface SignUpMail {
  /** Returns at once, so that the answer to the sign-up takes no longer than for an unknown address. */
  tell(email: string): void
  /** Ends the mail that is being sent. */
  close(): void
}

const DEADLINE_MS = 30_000
/** Whoever signs up again and again must not fill somebody's mailbox. */
const MAILS_PER_MINUTE = 1

/** Creates it with the mailer of the installation. */
export function createSignUpMail({ mailer, limits, baseUrl, log }: SignUpMailOptions): SignUpMail {
  const closing = new AbortController()
  const text =
    `Somebody asked for an account at ${baseUrl} with this e-mail address, which has an account there already. ` +
    `If it was you, sign in with that account. If it was not, there is nothing to do: nothing was changed.\n`
  const html = `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').trim()}</p>`

  async function send(to: string): Promise<void> {
    const subject = `sign-up:${createHash('sha256').update(to).digest('base64url')}`
    const { passed } = await limits.take({ subject, perMinute: MAILS_PER_MINUTE, exact: true })
    if (!passed) return
    const mail = { to, subject: 'You already have a Tidemark account', text, html, id: randomUUID() }
    const result = await mailer.send(mail, { deadlineMs: DEADLINE_MS, signal: closing.signal })
    if (result.kind !== 'taken' && result.kind !== 'aborted')
      log.warn({ result: result.kind }, 'a mail about a sign-up could not be sent')
  }

  return {
    tell: (email) => void send(email).catch((err: unknown) => log.warn({ err }, 'a mail about a sign-up failed')),
    close: () => closing.abort(),
  }
}
