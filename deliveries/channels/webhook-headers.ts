import { WEBHOOK_OWN_HEADERS } from '../../schema/monitor/request-headers.ts'

/**
 * Never sent, whoever configured them: what is ours, and what belongs to the connection. The API refuses or documents
 * most of these; a row that is older than a rule is not trusted.
 */
const NOT_THE_USERS: ReadonlySet<string> = new Set([
  ...WEBHOOK_OWN_HEADERS,
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'cookie',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
])

/** Headers of a webhook as undici's flat list: the configured ones, then ours. */
export function webhookHeaders(configured: Readonly<Record<string, string>> | undefined, signature: string): string[] {
  const theirs = Object.entries(configured ?? {}).filter(([name]) => !NOT_THE_USERS.has(name.toLowerCase()))
  return [
    ...theirs.flat(),
    'Service-Signature',
    signature,
    'User-Agent',
    'Service/1.0',
    'Content-Type',
    'application/json',
  ]
}
