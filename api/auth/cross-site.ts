import type { IncomingHttpHeaders } from 'node:http'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a request that a browser's cookie vouches for may have been caused by another site. One that changes nothing
 * may be; any other must say by its headers, which pages cannot set, that it comes from our own pages.
 */
export function mayBeCrossSite(
  method: string,
  headers: IncomingHttpHeaders,
  trustedOrigins: readonly string[],
): boolean {
  if (SAFE.has(method)) return false
  if (headers.origin !== undefined) return !trustedOrigins.includes(headers.origin)
  return headers['sec-fetch-site'] !== 'same-origin'
}
