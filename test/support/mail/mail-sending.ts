import { parseMailServer } from '../../../core/mail-server.ts'
import type { AttemptOutcome } from '../../../deliveries/channels/channel.ts'
import { createEmailChannel } from '../../../deliveries/channels/email.ts'
import { createMailer, type Mailer } from '../../../deliveries/mail/mailer.ts'
import { LINKS, payloadOf } from './mailbox.ts'

export const ID = '01a1fdda-7d9b-7133-82bc-55eff54399c9'
export const FROM = 'watch@tide.example'

export function mailerTo(url: string, connections = 5): Mailer & Disposable {
  const parsed = parseMailServer(url)
  if (!parsed.ok) throw new Error(parsed.message)
  const mailer = createMailer({ server: () => parsed.server, from: FROM, connections })
  return { ...mailer, [Symbol.dispose]: () => mailer.close() }
}

export interface Sending {
  readonly to?: string
  readonly payload?: object
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
  readonly log?: string[]
}

export function sendBy(mailer: Mailer | null, sending: Sending = {}): Promise<AttemptOutcome> {
  const {
    to = 'ada@example.com',
    payload = payloadOf({ price: ['$19.99', '$17.49'] }),
    deadlineMs = 5_000,
    log = [],
  } = sending
  const write = (fields: object, message: string) => void log.push(`${message} ${JSON.stringify(fields)}`)
  return createEmailChannel({ mailer, links: LINKS, deadlineMs }).send(
    { id: ID, team: 't', config: { type: 'email', to }, payload: JSON.stringify(payload), secrets: [] },
    { signal: sending.signal ?? new AbortController().signal, log: { info: write, warn: write, error: write } },
  )
}
