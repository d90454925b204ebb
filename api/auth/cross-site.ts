import type { IncomingHttpHeaders } from 'node:http'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Returns whether another site may have caused a request that is authenticated by a browser's cookie. A request that
 * changes nothing is allowed. Any other request must show by its headers, which pages cannot set, that it comes from
 * Tidemark's own pages.
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
