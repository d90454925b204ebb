import { UNSENT_HEADERS } from '../../egress/unsent-headers.ts'
import { WEBHOOK_OWN_HEADERS } from '../../schema/monitor/request-headers.ts'
import { NOTICE_HEADER } from '../../schema/run/notice.ts'

/** Headers that are never sent, even if a user configured them: Tidemark's own and those that no request takes. */
const RESERVED: ReadonlySet<string> = new Set([...WEBHOOK_OWN_HEADERS, ...UNSENT_HEADERS])

/** What the headers of a signed request are made from. */
interface SignedHeaders {
  readonly configured: Readonly<Record<string, string>> | undefined
  /** Null: it is not signed. */
  readonly signature: string | null
  readonly notice: string | null
  /** Of a service: its own headers, `Content-Type` among them. Absent: JSON. */
  readonly own?: Readonly<Record<string, string>>
}

const JSON_ONLY = { 'Content-Type': 'application/json' } as const

/** Returns the headers of a request: the configured ones, then Tidemark's own. */
export function signedHeaders({
  configured,
  signature,
  notice,
  own = JSON_ONLY,
}: SignedHeaders): Record<string, string> {
  const ours = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  if (notice !== null) ours.add(NOTICE_HEADER.toLowerCase())
  const isOurs = (name: string) => RESERVED.has(name) || ours.has(name)
  const theirs = Object.entries(configured ?? {}).filter(([name]) => !isOurs(name.toLowerCase()))
  return {
    ...Object.fromEntries(theirs),
    ...(signature !== null && { 'Service-Signature': signature }),
    'User-Agent': 'Service/1.0',
    ...own,
    ...(notice !== null && { [NOTICE_HEADER]: `notice.${notice}` }),
  }
}
