import { listedKeys } from '../../core/derived-key.ts'
import { parseMailServer } from '../../core/mail-server.ts'
import { readPrices } from '../../core/plan/read-prices.ts'
import { parseCidr } from '../../egress/address.ts'
import { parseProxyUrl } from '../../runners/fetch/proxy/proxy-address.ts'
import { readEndpoints } from '../../runners/serp/endpoints.ts'
import type { Config } from '../../schema/config/config.ts'
import type { Issue } from '../../schema/validation/issue.ts'

export const SHORTEST_KEY = 16
const MAX_KEYS = 10

/** Returns what is wrong with a text, or null. */
type Reader = (text: string) => string | null

const saidBy = (parsed: { readonly ok: true } | { readonly ok: false; readonly message: string }) =>
  parsed.ok ? null : parsed.message
const saidIn = (read: unknown) => (typeof read === 'string' ? read : null)

/** The parsers of settings, each of which says what it cannot read. None repeats a secret. */
const READERS = {
  TIDEMARK_ENCRYPTION_KEY: faultOfKeys,
  SMTP_URL: (text) => saidBy(parseMailServer(text)),
  STRIPE_PRICES: (text) => saidIn(readPrices(text)),
  TIDEMARK_SERP_ENDPOINTS: (text) => saidIn(readEndpoints(text)),
  TIDEMARK_PROXY_URL: (text) => saidBy(parseProxyUrl(text)),
} as const satisfies Partial<Record<keyof Config, Reader>>

const NETWORKS = ['TIDEMARK_ALLOW_PRIVATE_CIDRS', 'TIDEMARK_DENY_CIDRS', 'TIDEMARK_TRUSTED_PROXIES'] as const

/** Returns the settings whose texts cannot be read as what they are for. */
export function unreadableSettings(config: Config): readonly Issue[] {
  const issues: Issue[] = []
  for (const [path, read] of Object.entries(READERS) as [keyof typeof READERS, Reader][]) {
    const text = config[path]
    const message = text === undefined ? null : read(text)
    if (message !== null) issues.push({ path, message })
  }
  for (const path of NETWORKS)
    for (const entry of listOf(config[path]))
      if (parseCidr(entry) === null)
        issues.push({ path, message: `contains ${JSON.stringify(entry)}, which is not a network such as 10.0.0.0/8` })
  return issues
}

function faultOfKeys(text: string): string | null {
  const keys = listedKeys(text)
  const at = keys.findIndex((key) => key.length < SHORTEST_KEY)
  if (at !== -1) return `has a key of fewer than ${SHORTEST_KEY} characters: number ${at + 1}`
  if (keys.length === 0) return 'lists no key'
  if (keys.length > MAX_KEYS) return `lists more than ${MAX_KEYS} keys`
  return new Set(keys).size < keys.length ? 'lists a key twice' : null
}

/** Returns the entries of a list in a setting. */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
