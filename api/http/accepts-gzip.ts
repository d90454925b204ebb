import type { IncomingHttpHeaders } from 'node:http'

/** Returns whether the sender of a request reads gzip, by its `Accept-Encoding`. */
export const acceptsGzip = (headers: IncomingHttpHeaders): boolean =>
  /\bgzip\b(?!;\s*q=0(?:\.0*)?(?:,|$))/.test(String(headers['accept-encoding'] ?? ''))
