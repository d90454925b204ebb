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
  /** It is asked for at each mail: the file of its address may be read again. The same server is the same object. */
  readonly server: () => MailServer
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
  let current: Pool | undefined
  /** Returns the connections to the server of now. Those to an earlier one are closed behind their last mail. */
  function take(): Pool {
    const now = server()
    if (current?.server !== now) {
      const old = current
      current = { server: now, opened: open(now, connections), mails: 0 }
      if (old?.mails === 0) closePool(old)
    }
    current.mails += 1
    return current
  }
  function giveBack(pool: Pool): void {
    pool.mails -= 1
    if (pool !== current && pool.mails === 0) closePool(pool)
  }
  const domain = from.slice(from.lastIndexOf('@') + 1)

  return {
    async send({ to, subject, text, html, picture, id }, { deadlineMs, signal }) {
      if (EMAIL_ADDRESS.check(to).length > 0) return { kind: 'unsendable' }
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), deadlineMs)
      const pool = take()
      try {
        const transport = await pool.opened
        const sent = await transport.sendMail({
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
        giveBack(pool)
      }
    },
    close: () => current && closePool(current),
  }
}

/** Connections to one server. */
interface Pool {
  readonly server: MailServer
  readonly opened: ReturnType<typeof open>
  /** Mails under way. */
  mails: number
}

// Loaded with the first mail, because most processes send none.
async function open(server: MailServer, connections: number) {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    pool: true,
    maxConnections: connections,
    maxRequeues: 1,
    ...transportOptions(server),
  })
  // Without a listener an error of the pool would end the process. Errors of a mail are returned by its own send.
  transport.on('error', () => {})
  return transport
}

// One that could not be opened has nothing to close, and its mails say so.
const closePool = ({ opened }: Pool): void => void opened.then((transport) => transport.close()).catch(() => {})

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
