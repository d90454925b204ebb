import { WEBHOOK_OWN_HEADERS } from '../../schema/monitor/request-headers.ts'

/**
 * Headers that are never sent, even if a user configured them: Tidemark's own and those of the connection. The API
 * refuses or documents most of them, but a stored row may be older than the rule.
 */
const RESERVED: ReadonlySet<string> = new Set([
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

/** Returns the headers of a webhook as undici's flat list: the configured ones, then Tidemark's own. */
export function webhookHeaders(configured: Readonly<Record<string, string>> | undefined, signature: string): string[] {
  const theirs = Object.entries(configured ?? {}).filter(([name]) => !RESERVED.has(name.toLowerCase()))
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
