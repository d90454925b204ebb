import { createRequire } from 'node:module'
import type * as Suffixes from 'tldts'

const require = createRequire(import.meta.url)

/**
 * Returns the part of a host under which anybody can register a name: `co.uk` of `www.amazon.co.uk`. An address has
 * none: null. The list takes 30 ms and 5 MB to load, and most installations never ask for it.
 */
export function publicSuffix(host: string): string | null {
  const { getPublicSuffix } = require('tldts') as typeof Suffixes
  return getPublicSuffix(host)
}
