/** The version of the interface (spec, Versioning): on every answer and in every delivery. */
export const SERVICE_VERSION = '2026-05-01'

/** On every answer, errors included. */
export const standardHeaders = (requestId: string) => ({
  'service-version': SERVICE_VERSION,
  'x-request-id': requestId,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})
