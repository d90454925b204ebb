import { firstIssues, type Issue, MAX_ISSUES } from '../../schema/validation/issue.ts'
import { type ApiError, apiError } from './api-error.ts'

/**
 * Long enough for a path of five names of the greatest length. With a message of the same length it still fits into the
 * envelope's own message.
 */
const LONGEST = 600

/**
 * Returns the 422 of a request: of its body, of its query, or of both (`request`). Its message names the first issue.
 * Its details contain all of them, or `MAX_ISSUES`, and then the message says so.
 */
export function validationError(part: 'body' | 'query' | 'request', issues: readonly Issue[]): ApiError {
  // Keys can have any length; the answer is bounded.
  const shown = firstIssues(issues).map(({ path, message }) => ({ path: clip(path), message: clip(message) }))
  const first = shown[0]
  // Most messages continue the path (`name is required`); messages that are whole sentences do not.
  const joint = /^[A-Z][a-z]/.test(first?.message ?? '') ? ': ' : ' '
  const where = first && first.path !== '' ? first.path + joint : ''
  const rest = issues.length > MAX_ISSUES ? `; details lists ${MAX_ISSUES} of them` : ''
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more${rest})` : ''
  return apiError(
    'VALIDATION_ERROR',
    `The ${part} is not valid: ${where}${(first?.message ?? '').replace(/\.$/, '')}${more}.`,
    shown,
  )
}

const clip = (text: string) => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1).toWellFormed()}…`)
