import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { listChanges } from '../../../core/payload.ts'
import type { MessagePayload } from '../../../deliveries/messages/message-payload.ts'

/** A mail as the server got it. */
interface Letter {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  readonly mail: Email
  readonly isSecure: boolean
  readonly user: unknown
}

/** A mail server on loopback that keeps what it takes. */
export interface Mailbox extends AsyncDisposable {
  readonly port: number
  readonly letters: readonly Letter[]
  /** Connections that were accepted. */
  readonly contacts: number
}

/** A refusal with the code and words that the server says. */
export function refusal(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code })
}

export async function openMailbox(options: SMTPServerOptions = {}): Promise<Mailbox> {
  const letters: Letter[] = []
  let contacts = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.cert === undefined ? ['STARTTLS'] : [],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 50,
    onConnect(_session, callback) {
      contacts++
      callback()
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8')
        const { mailFrom, rcptTo } = session.envelope
        void PostalMime.parse(raw).then((mail) => {
          const from = mailFrom === false ? '' : mailFrom.address
          letters.push({
            from,
            to: rcptTo.map(({ address }) => address),
            raw,
            mail,
            isSecure: session.secure,
            user: session.user,
          })
          callback(null, 'queued as 42')
        })
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    letters,
    get contacts() {
      return contacts
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

export const LINKS = { dashboardUrl: 'https://watch.example.com' }
export const RUN_URL =
  'https://watch.example.com/monitors/5a0f3c52-7d0e-4d0e-a5a8-0b1f5d1f2a3b/runs/019de363-a5c8-7c11-8000-000000c0ffee'

/** A payload of which the test says what matters: before and after of each field. */
export function payloadOf(
  changes: Readonly<Record<string, readonly [unknown, unknown]>>,
  {
    name = 'Kettle',
    url = 'https://example.com/kettle',
    ...rest
  }: { name?: string; url?: string; visual?: MessagePayload['visual']; text?: MessagePayload['text'] } = {},
): MessagePayload {
  const pick = (index: 0 | 1) =>
    Object.fromEntries(Object.entries(changes).map(([field, pair]) => [field, pair[index]]))
  const diff = { fields_changed: Object.keys(changes), before: pick(0), after: pick(1) } as MessagePayload['diff']
  const lists = listChanges(diff)
  return {
    monitor_id: '5a0f3c52-7d0e-4d0e-a5a8-0b1f5d1f2a3b',
    run_id: '019de363-a5c8-7c11-8000-000000c0ffee',
    fired_at: '2026-05-01T12:00:00.000Z',
    diff,
    monitor: { url, name },
    ...(lists && { lists }),
    ...(rest.visual && { visual: rest.visual }),
    ...(rest.text && { text: rest.text }),
  }
}
