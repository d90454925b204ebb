import Type, { type Static } from 'typebox'
import { Choice, Closed, Text } from './shape/shape.ts'

/**
 * Every error that the API answers, with its HTTP status. Those marked `beyond` are conflicts and transport faults that
 * the contract gives no code.
 */
export const ERRORS = {
  UNAUTHORIZED: { status: 401, meaning: 'Missing or invalid credentials.' },
  FORBIDDEN: { status: 403, meaning: 'The API key scope or the team role does not allow the action.' },
  NOT_FOUND: { status: 404, meaning: 'No such resource.' },
  VALIDATION_ERROR: { status: 422, meaning: 'The request is not valid; details names each fault with its path.' },
  TIER_LIMIT_EXCEEDED: { status: 429, meaning: 'A limit of the plan is reached.' },
  RUN_LIMIT_REACHED: { status: 429, meaning: 'The runs of the period and the run credits are used up.' },
  RATE_LIMIT_EXCEEDED: { status: 429, meaning: 'Too many requests; Retry-After says when to try again.' },
  INTERNAL_ERROR: { status: 500, meaning: 'A fault of the service; the log has it under the requestId.' },
  INVITATION_INVALID: {
    status: 409,
    meaning: 'The invitation is expired, revoked, already used or sent to a different address.',
  },
  CONFLICT: {
    status: 409,
    meaning: 'Beyond the contract: the resource is in a state or an ownership that does not allow this.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'Beyond the contract: the body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'Beyond the contract: the body must be application/json.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'Beyond the contract: the path exists, but not with this method.' },
  BAD_REQUEST: { status: 400, meaning: 'Beyond the contract: what came is not HTTP, or names no host.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'Beyond the contract: the request took too long to arrive.' },
  EXPECTATION_FAILED: { status: 417, meaning: 'Beyond the contract: Expect can only be 100-continue.' },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'Beyond the contract: the headers or the address are too large.' },
  UNAVAILABLE: {
    status: 503,
    meaning: 'Beyond the contract: the store cannot be reached; try again after Retry-After.',
  },
} as const
export type ErrorCode = keyof typeof ERRORS

/**
 * The envelope of every error. `details` is always there; for VALIDATION_ERROR each item is an issue with path and
 * message.
 */
export const ErrorEnvelope = Closed({
  error: Closed({
    code: Choice(Object.keys(ERRORS) as ErrorCode[]),
    message: Text(1, 2000),
    details: Type.Array(Type.Unknown(), { maxItems: 100 }),
    requestId: Text(1, 100),
  }),
})
export type ErrorEnvelope = Static<typeof ErrorEnvelope>
