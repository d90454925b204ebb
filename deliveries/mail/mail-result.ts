/** Why the mail server did not accept a mail, as far as a person can act on it. */
export type MailFault = 'refused' | 'busy' | 'sender' | 'login' | 'tls' | 'dns' | 'connection' | 'timeout' | 'internal'

/** The result of sending a mail. */
export type MailResult =
  /** The server accepted it. `reply`: its last line, such as `250 OK: queued`. */
  | { readonly kind: 'taken'; readonly reply: string }
  /**
   * `refused`: the server will not accept this mail for this address, now or later (5xx to the recipient or the
   * content). All other reasons may pass. `reply`: the server's answer with its code; null when there was none.
   */
  | { readonly kind: 'failed'; readonly reason: MailFault; readonly reply: string | null; readonly error: unknown }
  /** The address is not one that mail is sent to. */
  | { readonly kind: 'unsendable' }
  | { readonly kind: 'aborted' }

interface SmtpError extends Error {
  readonly code?: string
  /** The code of Node's error inside nodemailer's. */
  readonly originalCode?: string
  readonly command?: string
  readonly response?: string
  readonly responseCode?: number
}

/** Returns the result for an error of nodemailer. */
export function mailFailure(error: unknown): MailResult & { kind: 'failed' } {
  const {
    code,
    originalCode = '',
    command,
    response,
    responseCode = 0,
  } = error instanceof Error ? (error as SmtpError) : {}
  const reply = typeof response === 'string' && responseCode > 0 ? response : null
  const reason = NOT_TRUSTED.test(originalCode) ? 'tls' : reasonOf({ code, command, responseCode })
  return { kind: 'failed', reason, reply, error }
}

/** Codes of invalid certificates, and of servers that do not support TLS. */
const NOT_TRUSTED = /CERT|^UNABLE_TO|^ERR_(?:SSL|TLS)|^EPROTO$/

const BY_CODE: Readonly<Record<string, MailFault>> = {
  EAUTH: 'login',
  ENOAUTH: 'login',
  ETLS: 'tls',
  EREQUIRETLS: 'tls',
  EDNS: 'dns',
  ETIMEDOUT: 'timeout',
  ESOCKET: 'connection',
  ECONNECTION: 'connection',
  EPROTOCOL: 'connection',
}

/**
 * A refusal is final only where it is about the recipient or the content. A refusal of the greeting, the login or the
 * sender is about the setup of this installation, which its operator can correct within the hours of the schedule.
 */
function reasonOf({
  code = '',
  command = '',
  responseCode,
}: {
  code: string | undefined
  command: string | undefined
  responseCode: number
}): MailFault {
  const isPermanent = responseCode >= 500 && responseCode < 600 && responseCode !== 503
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE')
    return BY_CODE[code] ?? (responseCode > 0 ? 'connection' : 'internal')
  if (!isPermanent) return responseCode > 0 ? 'busy' : 'internal'
  return command === 'MAIL FROM' ? 'sender' : 'refused'
}
