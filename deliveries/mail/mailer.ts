import type { MailServer } from '../../core/mail-server.ts'
import { EMAIL_ADDRESS } from '../../schema/rules/monitor-rules.ts'
import { PICTURE_ID } from '../messages/email-html.ts'
import { type MailResult, mailFailure } from './mail-result.ts'

/** One mail to one person. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** A PNG that the HTML shows as `cid:` and `PICTURE_ID`. Absent or null: none. */
  readonly picture?: Uint8Array | null
  /**
   * The part before the @ of the Message-ID. It is the same whenever the same mail is sent again, so that a mail
   * program can drop duplicates.
   */
  readonly id: string
}

/** Sends the mail of this installation. */
export interface Mailer {
  /** Makes one attempt within the deadline. Never rejects. Returns `aborted` when the signal ended it. */
  send(mail: Mail, limits: { readonly deadlineMs: number; readonly signal: AbortSignal }): Promise<MailResult>
  /** Closes the connections to the mail server. */
  close(): void
}

/** The options of a mailer. */
interface MailerOptions {
  readonly server: MailServer
  /** The sender, `SMTP_FROM`: an address as in `email_address` of schema/rules. */
  readonly from: string
  /** The greatest number of connections to the server at a time. */
  readonly connections: number
}

const SENDER = 'Tidemark'
const IDLE_MS = 30_000

/**
 * Returns a mailer with a pool of connections to the one mail server. No address is ever parsed: a value that is not
 * exactly one plain address is refused. A plain one goes to nodemailer as `{ address }` and in an explicit envelope.
 * Nothing is attached but our own picture, and nothing is loaded.
 */
export function createMailer({ server, from, connections }: MailerOptions): Mailer {
  let opening: ReturnType<typeof open> | undefined
  // Loaded with the first mail, because most processes send none.
  async function open() {
    const { createTransport } = await import('nodemailer')
    const pool = createTransport({
      pool: true,
      maxConnections: connections,
      maxRequeues: 1,
      ...transportOptions(server),
    })
    // Without a listener an error of the pool would end the process. Errors of a mail are returned by its own send.
    pool.on('error', () => {})
    return pool
  }
  const domain = from.slice(from.lastIndexOf('@') + 1)

  return {
    async send({ to, subject, text, html, picture, id }, { deadlineMs, signal }) {
      if (EMAIL_ADDRESS.check(to).length > 0) return { kind: 'unsendable' }
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), deadlineMs)
      try {
        const pool = await (opening ??= open())
        const sent = await pool.sendMail({
          from: { name: SENDER, address: from },
          to: { name: '', address: to },
          envelope: { from, to: [to] },
          messageId: `<${id}@${domain}>`,
          subject,
          text,
          html,
          ...(picture && { attachments: [inline(picture)] }),
          headers: { 'Auto-Submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.any([signal, late.signal]),
        })
        return { kind: 'taken', reply: sent.response }
      } catch (error) {
        if (signal.aborted) return { kind: 'aborted' }
        return late.signal.aborted ? { kind: 'failed', reason: 'timeout', reply: null, error } : mailFailure(error)
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => void opening?.then((pool) => pool.close()),
  }
}

const inline = (picture: Uint8Array) => ({
  filename: 'page.png',
  content: Buffer.from(picture),
  contentType: 'image/png',
  contentDisposition: 'inline' as const,
  cid: PICTURE_ID,
})

/** Returns what a connection to the server needs. */
export function transportOptions({ host, port, secure, auth, requireTls, ignoreTls, verifyCertificate }: MailServer) {
  return {
    host,
    port,
    secure,
    ...(auth && { auth }),
    requireTLS: requireTls,
    ignoreTLS: ignoreTls,
    tls: { rejectUnauthorized: verifyCertificate, minVersion: 'TLSv1.2' as const },
    // Each of these ends before a whole attempt has to.
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    dnsTimeout: 5_000,
    socketTimeout: 14_000,
    socketCloseTimeout: 1_000,
    idleTimeout: IDLE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
