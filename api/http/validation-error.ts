import type { Issue } from '../../schema/validation/issue.ts'
import { type ApiError, apiError } from './api-error.ts'

/** What the envelope's `details` holds at most. */
const MOST_ISSUES = 100
/** A path of five names of the greatest length still fits, and with a message as long into the envelope's own. */
const LONGEST = 600

/** The 422 of a request: its message says the first issue, its details are all of them. */
export function validationError(part: 'body' | 'query', issues: readonly Issue[]): ApiError {
  // Keys are as long as whoever sent them likes; the answer is not.
  const shown = issues.slice(0, MOST_ISSUES).map(({ path, message }) => ({ path: clip(path), message: clip(message) }))
  const first = shown[0]
  // Most messages go on from the path (`name is required`); those that are sentences of their own do not.
  const joint = /^[A-Z][a-z]/.test(first?.message ?? '') ? ': ' : ' '
  const where = first && first.path !== '' ? first.path + joint : ''
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return apiError(
    'VALIDATION_ERROR',
    `The ${part} is not valid: ${where}${(first?.message ?? '').replace(/\.$/, '')}${more}.`,
    shown,
  )
}

const clip = (text: string) => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1).toWellFormed()}…`)
