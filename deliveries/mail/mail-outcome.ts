import type { AttemptOutcome } from '../channels/channel.ts'
import type { MailFault, MailResult } from './mail-result.ts'
import { safeText } from '../channels/safe-text.ts'

/**
 * What a mail's result means for its delivery. Its status is the mail server's reply code, which is read by itself: 5xx
 * to the recipient or the content is final, everything else is tried again.
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
  if (reply === null) return { kind: 'no_answer', message: WHY[reason] }
  if (reason === 'refused') return replied('client_error', reply, reply)
  return replied('server_error', reply, reason === 'busy' ? reply : `${WHY[reason]} It said: ${reply}`)
}

function replied(verdict: 'success' | 'client_error' | 'server_error', reply: string, text: string): AttemptOutcome {
  return { kind: 'answered', verdict, status: Number(reply.slice(0, 3)), body: safeText([Buffer.from(text)]) }
}

const UNSENDABLE =
  'This is not an address that mail is sent to. It has to be one plain address, such as name@example.com.'

const WHY: Readonly<Record<MailFault, string>> = {
  refused: 'The mail server refuses this mail.',
  busy: 'The mail server did not take this mail just now.',
  sender: 'The mail server does not take mail from SMTP_FROM. This is for the operator of this installation.',
  login:
    'The mail server does not accept the user name and password of SMTP_URL. This is for the operator of this ' +
    'installation.',
  tls:
    'No safe connection to the mail server could be made: check its certificate, and smtp or smtps in SMTP_URL. ' +
    'This is for the operator of this installation.',
  dns: 'There is no host of the name in SMTP_URL. This is for the operator of this installation.',
  connection: 'The mail server cannot be reached, or ended the connection.',
  timeout: 'The mail server did not take the mail in time. An attempt has 15 seconds.',
  internal: 'The attempt failed through a fault of ours. The log has the details under the id of the delivery.',
}
