import { type MailServer, parseMailServer } from '../../core/mail-server.ts'
import { greetMailServer } from '../../deliveries/mail/greet-mail-server.ts'
import { WHY_NO_MAIL } from '../../deliveries/mail/mail-outcome.ts'
import type { MailFault } from '../../deliveries/mail/mail-result.ts'
import type { DoctorCheck } from './doctor-check.ts'
import { failed, notSetUp, ok, warning } from './finding.ts'

const ANSWER_MS = 10_000

export const mailCheck: DoctorCheck = {
  limitMs: ANSWER_MS + 3_000,
  reads: ['SMTP_URL', 'SMTP_FROM'],
  async look({ settings: { SMTP_URL: url } }) {
    const parsed = url === undefined ? null : parseMailServer(url)
    if (!parsed?.ok) return notSetUp('SMTP_URL is not set: no mail is sent.', 'Set SMTP_URL and SMTP_FROM for mail.')
    const { server } = parsed
    const greeted = await greetMailServer(server, ANSWER_MS)
    if (greeted.kind === 'failed') {
      const code = greeted.reply === null ? '' : ` It answered ${greeted.reply}.`
      return failed(`${WHY[greeted.reason] ?? WHY_NO_MAIL[greeted.reason]}${code}`, ADVICE[greeted.reason])
    }
    const what = `The mail server answers${server.auth ? ', and accepts the login' : ''}; ${encryption(server)}.`
    if (server.ignoreTls || !server.verifyCertificate)
      return warning(what, 'Use smtps:// or requireTLS=true, and a certificate that is valid.')
    return ok(what)
  },
}

/** The words about a mail do not fit a greeting. */
const WHY: Partial<Record<MailFault, string>> = {
  timeout: `The mail server did not answer within ${ANSWER_MS / 1_000} s.`,
  internal: 'The connection to the mail server ended with an internal error.',
}

const CORRECT = 'Correct SMTP_URL, or the mail server.'
const ADVICE: Readonly<Record<MailFault, string>> = {
  refused: CORRECT,
  busy: 'Try again later.',
  sender: 'Correct SMTP_FROM.',
  login: 'Correct the user and the password in SMTP_URL; special characters are percent-encoded.',
  tls: 'Use smtps:// for a port with TLS from the first byte (465), else smtp://. See docs/messages.md.',
  dns: 'Correct the host in SMTP_URL.',
  connection: 'Check the host and the port in SMTP_URL, and the firewalls between.',
  timeout: 'Check the host and the port in SMTP_URL, and the firewalls between.',
  internal: CORRECT,
}

function encryption({ secure, requireTls, ignoreTls, verifyCertificate }: MailServer): string {
  if (ignoreTls && !secure) return 'mail is sent without TLS'
  const how = secure ? 'TLS from the first byte' : requireTls ? 'STARTTLS is required' : 'STARTTLS where it is offered'
  return verifyCertificate ? how : `${how}, with any certificate`
}
