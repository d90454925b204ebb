import { API_VERSION } from '../../schema/run/delivery.ts'

/** Returns the headers of every answer, errors included. */
export const standardHeaders = (requestId: string) => ({
  'service-version': API_VERSION,
  'x-request-id': requestId,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})
