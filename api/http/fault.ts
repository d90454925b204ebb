import { isCancelled, isDuplicate, isStoreAway } from '../../store/db/store-fault.ts'
import { UnreadableSecretError } from '../../store/secrets/secret-box.ts'
import { ApiError, apiError } from './api-error.ts'
import { sizeText } from './body-limits.ts'

/** An error as the client sees it. `unexpected`: the error has to be logged. */
interface Fault {
  readonly error: ApiError
  readonly unexpected: boolean
}

const RETRY_SECONDS = '2'

/** Maps any thrown value to the error that the client sees. `bodyLimit`: the most bytes of a body at its address. */
export function faultOf(thrown: unknown, bodyLimit?: number): Fault {
  if (thrown instanceof ApiError) return { error: thrown, unexpected: false }
  const transport = transportFault(thrown, bodyLimit)
  if (transport) return { error: transport, unexpected: false }
  if (isCancelled(thrown)) return { error: tookTooLong(thrown), unexpected: true }
  if (isStoreAway(thrown)) return { error: unavailable(thrown), unexpected: true }
  if (isDuplicate(thrown))
    return {
      error: apiError('CONFLICT', 'Another request created an object with the same name or address at the same time.'),
      unexpected: true,
    }
  // Lists and views leave such a secret out. Where the whole record is needed, no part of it may be lost.
  if (thrown instanceof UnreadableSecretError)
    return {
      error: apiError(
        'CONFLICT',
        'A stored secret cannot be decrypted with the encryption key of this installation. Restore the key, or ' +
          'delete this object and create it again.',
      ),
      unexpected: true,
    }
  return {
    error: apiError('INTERNAL_ERROR', 'The service failed. The log has the details under the requestId.'),
    unexpected: true,
  }
}

/** Returns the 503 for a store that cannot be reached. */
export const unavailable = (cause?: unknown): ApiError =>
  new ApiError('UNAVAILABLE', 'The service cannot reach its store. Try again in a moment.', {
    headers: { 'retry-after': RETRY_SECONDS },
    cause,
  })

/**
 * Returns the 503 for a statement that the store has ended at its time limit. The pause is longer than our clients wait
 * for another try: what took too long is not asked for again at once.
 */
const tookTooLong = (cause: unknown): ApiError =>
  new ApiError(
    'UNAVAILABLE',
    'The store needed more time for a part of this request than it may take, and ended it. Ask for less at once, or ' +
      `try again in ${LONG_SECONDS} s.`,
    { headers: { 'retry-after': LONG_SECONDS }, cause },
  )
const LONG_SECONDS = '30'

/** Maps Fastify's own refusals. */
function transportFault(thrown: unknown, bodyLimit: number | undefined): ApiError | null {
  const code = codeOf(thrown)
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return apiError(
        'PAYLOAD_TOO_LARGE',
        bodyLimit === undefined
          ? 'The body is too large.'
          : `The body is too large: this address accepts at most ${sizeText(bodyLimit)}.`,
      )
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return apiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.')
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_ERR_NOT_FOUND':
      return apiError('NOT_FOUND', 'There is nothing at this address.')
    case 'FST_ERR_HANDLER_TIMEOUT':
      return unavailable(thrown)
    default:
      return statusOf(thrown) === 400 && thrown instanceof Error
        ? apiError('VALIDATION_ERROR', 'The request is malformed.', [
            { path: '', message: 'could not be read completely' },
          ])
        : null
  }
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''
const statusOf = (thrown: unknown): number =>
  thrown instanceof Error && 'statusCode' in thrown && typeof thrown.statusCode === 'number' ? thrown.statusCode : 0
