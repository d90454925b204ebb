import { createHash, randomUUID } from 'node:crypto'
import { keepIdempotentAnswer, takeIdempotencyKey } from '../../store/maintenance/idempotent-answers.ts'
import { operationId } from '../openapi/operation.ts'
import { ApiError, apiError } from './api-error.ts'
import type { Answer, Call, KeyedRoute, KeyedServices } from './route.ts'

/** Printable ASCII, which every client can send. */
const KEY = /^[!-~]{1,255}$/
/** Says that an answer was given before. */
const REPLAYED = { 'idempotency-replayed': 'true' }

/**
 * Returns the answer to a request that has an Idempotency-Key. It is handled in one transaction with the record
 * of its answer, so a client that got no answer may send it again: it is handled if it had no effect, and answered as
 * before if it had. A refusal had no effect and is not kept.
 */
export async function answerOnce(
  route: KeyedRoute,
  key: unknown,
  call: Call<unknown, unknown, unknown>,
): Promise<Answer> {
  if (typeof key !== 'string' || !KEY.test(key)) throw notAKey()
  const { services, principal, params, query, body } = call
  const operation = operationId(route)
  const keyed = { teamId: principal.teamId, operation, key }
  const request = createHash('sha256')
    .update(JSON.stringify([params, body, ...(hasKeys(query) ? [query] : [])]))
    .digest('hex')
  let isWoken = false
  const answer = await services.store.transaction(async (tx): Promise<Answer> => {
    const known = await takeIdempotencyKey(tx, services.secrets, keyed)
    if (known === 'busy') throw busy()
    if (known !== null && known.request !== request) throw usedBefore()
    if (known !== null) return { status: known.status as Answer['status'], body: known.body, headers: REPLAYED }
    // What the use cases start is visible after the end of the transaction.
    const inside: KeyedServices = { ...services, store: tx, wake: () => void (isWoken = true) }
    const made = await route.handle({ ...call, services: inside })
    const kept = { request, status: made.status, body: made.body }
    if (!(await keepIdempotentAnswer(tx, services.secrets, { ...keyed, id: randomUUID() }, kept))) throw full()
    return made
  })
  if (isWoken) services.wake()
  return answer
}

const hasKeys = (value: unknown) => value !== null && typeof value === 'object' && Object.keys(value).length > 0

const PATH = 'Idempotency-Key'

const notAKey = () =>
  apiError('VALIDATION_ERROR', `The header ${PATH} must have 1 to 255 printable ASCII characters without spaces.`, [
    { path: PATH, message: 'must have 1 to 255 printable ASCII characters without spaces' },
  ])

const usedBefore = () =>
  apiError('VALIDATION_ERROR', `The ${PATH} was used for another request. Use a new one for each request.`, [
    { path: PATH, message: 'was used for another request' },
  ])

const full = () =>
  new ApiError(
    'RATE_LIMIT_EXCEEDED',
    `The answers that are kept for each ${PATH} of your team take all of their room. Each is kept for a day. ` +
      `Nothing was done. Send the request without ${PATH}, or later.`,
    { headers: { 'retry-after': '3600' } },
  )

const busy = () =>
  new ApiError('CONFLICT', `A request with this ${PATH} is under way. Try again in a moment.`, {
    headers: { 'retry-after': '1' },
  })
