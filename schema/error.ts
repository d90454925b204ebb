import Type, { type Static } from 'typebox'
import { Choice, Closed, Text } from './shape/shape.ts'
import { MAX_ISSUES } from './validation/issue.ts'

/**
 * Every error code of the API, with its HTTP status and its meaning for docs/errors.md. The codes from CONFLICT on are
 * for conflicts of state and for transport errors.
 */
export const ERRORS = {
  UNAUTHORIZED: { status: 401, meaning: 'Missing or invalid credentials.' },
  FORBIDDEN: { status: 403, meaning: 'The scope of the API key or the role in the team does not allow the action.' },
  NOT_FOUND: { status: 404, meaning: 'The resource does not exist, or it belongs to another team.' },
  VALIDATION_ERROR: { status: 422, meaning: 'The request is not valid. details lists each fault with its path.' },
  TIER_LIMIT_EXCEEDED: { status: 429, meaning: 'A limit of the plan has been reached.' },
  RUN_LIMIT_REACHED: { status: 429, meaning: 'The runs of the period and the run credits are used up.' },
  RATE_LIMIT_EXCEEDED: { status: 429, meaning: 'Too many requests. Try again after Retry-After seconds.' },
  INTERNAL_ERROR: { status: 500, meaning: 'Internal error. The log has the details under the requestId.' },
  INVITATION_INVALID: {
    status: 409,
    meaning: 'The invitation is expired, revoked, already used or sent to a different address.',
  },
  CONFLICT: {
    status: 409,
    meaning: 'The state or the owner of the resource does not allow the action.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The request body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The request body must be application/json.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path exists, but does not support this method.' },
  BAD_REQUEST: { status: 400, meaning: 'The request is not valid HTTP, or has no Host header.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request took too long to arrive.' },
  EXPECTATION_FAILED: { status: 417, meaning: 'The Expect header has a value other than 100-continue.' },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'The request headers or the URL are too large.' },
  INSUFFICIENT_STORAGE: {
    status: 507,
    meaning: 'A disk of the installation is nearly full. Previews wait until there is room again; checks go on.',
  },
  UNAVAILABLE: {
    status: 503,
    meaning: 'The database cannot be reached, or needs too long. Try again after Retry-After seconds.',
  },
} as const
export type ErrorCode = keyof typeof ERRORS

/**
 * The envelope of every error. `details` is always a list. For VALIDATION_ERROR it contains issues with path and
 * message.
 */
export const ErrorEnvelope = Closed({
  error: Closed({
    code: Choice(Object.keys(ERRORS) as ErrorCode[]),
    message: Text(1, 2000),
    details: Type.Array(Type.Unknown(), { maxItems: MAX_ISSUES }),
    requestId: Text(1, 100),
  }),
})
export type ErrorEnvelope = Static<typeof ErrorEnvelope>
