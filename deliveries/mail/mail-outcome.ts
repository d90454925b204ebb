import type { AttemptOutcome } from '../channels/channel.ts'
import { safeText } from '../channels/safe-text.ts'
import type { MailFault, MailResult } from './mail-result.ts'

/**
 * Returns the outcome of a delivery for a mail's result. The status is the mail server's reply code, which has its own
 * rules: 5xx to the recipient or the content is final, everything else is tried again.
 */
export function mailOutcome(result: MailResult): AttemptOutcome {
  switch (result.kind) {
    case 'taken':
      return replied('success', result.reply, result.reply)
    case 'failed':
      return failed(result)
    case 'unsendable':
      return { kind: 'impossible', message: UNSENDABLE }
    case 'aborted':
      return { kind: 'aborted' }
  }
}

function failed({ reason, reply }: MailResult & { kind: 'failed' }): AttemptOutcome {
  if (reply === null) return { kind: 'no_answer', message: WHY_NO_MAIL[reason] }
  if (reason === 'refused') return replied('client_error', reply, reply)
  return replied('server_error', reply, reason === 'busy' ? reply : `${WHY_NO_MAIL[reason]} It said: ${reply}`)
}

function replied(verdict: 'success' | 'client_error' | 'server_error', reply: string, text: string): AttemptOutcome {
  return { kind: 'answered', verdict, status: Number(reply.slice(0, 3)), body: safeText([Buffer.from(text)]) }
}

const UNSENDABLE = 'Mail cannot be sent to this address. It has to be one plain address, such as name@example.com.'

/** Why a mail was not accepted, for people. */
export const WHY_NO_MAIL: Readonly<Record<MailFault, string>> = {
  refused: 'The mail server refused this mail.',
  busy: 'The mail server did not accept this mail for now.',
  sender: 'The mail server does not accept mail from SMTP_FROM. The operator of this installation has to correct it.',
  login:
    'The mail server does not accept the user name and password of SMTP_URL. The operator of this ' +
    'installation has to correct it.',
  tls:
    'A secure connection to the mail server failed: check its certificate, and smtp or smtps in SMTP_URL. ' +
    'The operator of this installation has to correct it.',
  dns: 'The host in SMTP_URL does not exist. The operator of this installation has to correct it.',
  connection: 'The mail server cannot be reached, or ended the connection.',
  timeout: 'The mail server did not accept the mail in time. An attempt has 15 seconds.',
  internal: 'The attempt failed with an internal error. The log has the details under the id of the delivery.',
}
