import { DELIVERY_TIMEOUT_MS } from '../../schema/run/delivery.ts'
import type { MailTarget } from '../../store/deliveries/delivery-row.ts'
import { mailOutcome } from '../mail/mail-outcome.ts'
import type { Mail, Mailer } from '../mail/mailer.ts'
import { accountMailMessage } from '../messages/account-mail.ts'
import { emailMessage } from '../messages/email-message.ts'
import type { Links } from '../messages/links.ts'
import { readAccountMail, readPayload } from '../messages/message-payload.ts'
import type { MessageWording } from '../messages/message-story.ts'
import { type AttemptOutcome, type Channel, channelOf, type SendContext } from './channel.ts'
import type { MessagePictures } from './message-pictures.ts'
import { NO_MESSAGE } from './prepare-chat.ts'

/** The parts that an e-mail channel uses. */
interface EmailOptions {
  /** Null: this installation has no mail server. */
  readonly mailer: Mailer | null
  readonly links: Links
  readonly pictures?: MessagePictures | undefined
  /** Milliseconds for a whole attempt. Default 15,000. */
  readonly deadlineMs?: number
}

/**
 * Sends a mail to one address: a change, a notice, or a mail to an account. The mail is written from the stored payload
 * at each attempt. Its Message-ID is the delivery's id, the same on every attempt and replay.
 */
export function createEmailChannel({
  mailer,
  links,
  pictures,
  deadlineMs = DELIVERY_TIMEOUT_MS,
}: EmailOptions): Channel<'email'> {
  async function write(payload: string, target: MailTarget, wording: MessageWording) {
    const accountMail = readAccountMail(payload)
    if (accountMail) return accountMailMessage(accountMail, target.link ?? null)
    const read = readPayload(payload)
    if (read === null) return null
    const picture = (wording.digest ? null : await pictures?.bytes(read)) ?? null
    return { ...emailMessage(read, links, picture !== null, wording), picture }
  }

  return channelOf(async ({ id, config, payload, named, digest }) => {
    if (mailer === null) return NO_SERVER
    const written = await write(payload, config, { message: config.message, named, digest })
    if (written === null) return { kind: 'impossible', message: NO_MESSAGE }
    const mail = { id, to: config.to, ...written }
    return { kind: 'mail', mail, send: (ctx) => sendMail(mailer, mail, ctx) }
  })

  async function sendMail(by: Mailer, mail: Mail, { signal, log }: SendContext): Promise<AttemptOutcome> {
    const result = await by.send(mail, { deadlineMs, signal })
    if (result.kind === 'failed' && result.reason === 'internal')
      log.error({ err: result.error, delivery_id: mail.id }, 'a mail could not be sent: internal error')
    else if (result.kind === 'failed' && result.reason !== 'refused')
      log.warn({ reason: result.reason, delivery_id: mail.id }, 'the mail server did not accept a mail')
    return mailOutcome(result)
  }
}

const NO_SERVER = {
  kind: 'impossible',
  message:
    'This installation has no mail server: SMTP_URL is not set. Have its operator set SMTP_URL and SMTP_FROM, ' +
    'then replay this delivery.',
} as const
