import type { Logger } from '../../core/logger.ts'
import { type MailServer, parseMailServer } from '../../core/mail-server.ts'
import { createMailer, type Mailer } from '../../deliveries/mail/mailer.ts'
import type { Settings } from '../settings/read-config.ts'

type MailSettings = Pick<Settings, 'SMTP_URL' | 'SMTP_FROM' | 'TIDEMARK_DESTINATION_CONCURRENCY'>

/** Returns whether this installation has a mail server. */
export const hasMailServer = ({ SMTP_URL, SMTP_FROM }: Pick<Settings, 'SMTP_URL' | 'SMTP_FROM'>): boolean =>
  SMTP_URL !== undefined && SMTP_FROM !== undefined && parseMailServer(SMTP_URL).ok

/** Returns the mailer of this installation. Returns null when it has none. `log`: which of the two is logged. */
export function mailerOf(settings: MailSettings, log?: Pick<Logger, 'info' | 'warn'>): Mailer | null {
  const { SMTP_URL, SMTP_FROM, TIDEMARK_DESTINATION_CONCURRENCY: connections } = settings
  const parsed = SMTP_URL === undefined ? null : parseMailServer(SMTP_URL)
  if (!parsed?.ok || SMTP_FROM === undefined) {
    log?.warn(
      'no mail is sent: SMTP_URL is not set; deliveries by e-mail fail until it is set, and can be replayed then',
    )
    return null
  }
  log?.info({ host: parsed.server.host, port: parsed.server.port, from: SMTP_FROM }, 'mail is sent through this server')
  return createMailer({ server: serverOf(settings, parsed.server), from: SMTP_FROM, connections })
}

/** Returns what tells the server of the settings, whose text may change. */
function serverOf(settings: MailSettings, first: MailServer): () => MailServer {
  let known = { text: settings.SMTP_URL, server: first }
  return () => {
    const text = settings.SMTP_URL ?? ''
    if (text !== known.text) {
      const parsed = parseMailServer(text)
      if (parsed.ok) known = { text, server: parsed.server }
    }
    return known.server
  }
}
