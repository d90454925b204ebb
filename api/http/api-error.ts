import { ERRORS, type ErrorCode, type ErrorEnvelope } from '../../schema/error.ts'

/**
 * An error response for the client. Handlers throw it, and the error handler turns it into the envelope. It is the only
 * expected outcome that is thrown. The message and the details are shown as they are, so they contain no secrets.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: readonly unknown[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, extras: ApiErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.code = code
    this.status = ERRORS[code].status
    this.details = extras.details ?? []
    this.headers = extras.headers ?? {}
  }
}

interface ApiErrorExtras {
  readonly details?: readonly unknown[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/**
 * Returns the error to throw: `throw apiError('NOT_FOUND', 'There is no such monitor.')`. The `details` of a
 * VALIDATION_ERROR are issues.
 */
export const apiError = (code: ErrorCode, message: string, details?: readonly unknown[]): ApiError =>
  new ApiError(code, message, details ? { details } : {})

/** Returns the body of an error. `details` and `requestId` are always present. */
export const envelope = (error: ApiError, requestId: string): ErrorEnvelope => ({
  error: { code: error.code, message: error.message, details: [...error.details], requestId },
})
