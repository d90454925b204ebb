import type { NotFound } from '../../core/outcome.ts'
import { apiError, ApiError } from './api-error.ts'

const NOUNS = {
  monitor: 'monitor',
  template: 'template',
  run: 'run',
  delivery: 'delivery',
  api_key: 'API key',
  team: 'team',
  member: 'member',
  invitation: 'invitation',
  account: 'account',
  session: 'session',
  status_page: 'status page',
} as const satisfies Record<NotFound['what'], string>

/** Returns the 404 of a record that the team does not have. */
export const noSuch = (what: NotFound['what']): ApiError => apiError('NOT_FOUND', `There is no such ${NOUNS[what]}.`)

/** Returns the error of a request that its client has closed: it stands in traces and in the log. */
export const left = (): ApiError => apiError('BAD_REQUEST', 'The client closed the request before it was answered.')

/** Returns the 503 that asks for another try soon. */
export const later = (message: string): ApiError =>
  new ApiError('UNAVAILABLE', message, { headers: { 'retry-after': '2' } })
