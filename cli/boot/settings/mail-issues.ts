import { parseMailServer } from '../../../core/mail-server.ts'
import type { Config } from '../../../schema/config/config.ts'
import type { Issue } from '../../../schema/validation/issue.ts'

/** Returns what is wrong with the settings of mail. */
export function mailIssues({ SMTP_URL, SMTP_FROM }: Pick<Config, 'SMTP_URL' | 'SMTP_FROM'>): Issue[] {
  if (SMTP_URL === undefined) return []
  const parsed = parseMailServer(SMTP_URL)
  return [
    ...(parsed.ok ? [] : [{ path: 'SMTP_URL', message: parsed.message }]),
    ...(SMTP_FROM === undefined
      ? [{ path: 'SMTP_FROM', message: 'is required with SMTP_URL: the address that mail comes from' }]
      : []),
  ]
}
