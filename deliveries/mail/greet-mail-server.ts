import { withTimeout } from '../../concurrency/loops/retry.ts'
import type { MailServer } from '../../core/mail-server.ts'
import { type MailFault, mailFailure } from './mail-result.ts'
import { transportOptions } from './mailer.ts'

/** The answer of a mail server to a greeting and a login. `reply`: the code of its refusal, as in `535`. */
type Greeted =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'failed'; readonly reason: MailFault; readonly reply: string | null }

/**
 * Connects to the mail server as a mail does, with TLS and the login of its address, and sends no mail. Never rejects.
 */
export async function greetMailServer(server: MailServer, deadlineMs: number): Promise<Greeted> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(transportOptions(server))
  try {
    const late = (): Greeted => ({ kind: 'failed', reason: 'timeout', reply: null })
    return await withTimeout(
      transport.verify().then((): Greeted => ({ kind: 'accepted' })),
      deadlineMs,
      late,
    )
  } catch (error) {
    const { reason, reply } = mailFailure(error)
    // The words of a server may repeat the user.
    return { kind: 'failed', reason, reply: reply?.slice(0, 3) ?? null }
  } finally {
    transport.close()
  }
}
