import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import {
  RunnerClaim,
  type RunnerClaimed,
  type RunnerHeld,
  RunnerHeartbeat,
  RunnerRelease,
} from '../../schema/runner-api.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import type { Denials } from '../../egress/policy.ts'
import type { RunnerService } from '../../worker/queue/runner-service.ts'
import { taskToWire } from '../../runners/client/task-wire.ts'
import type { LiveRunnerToken } from '../../store/accounts/runner-tokens.ts'
import { ApiError, apiError } from '../http/api-error.ts'
import { validationError } from '../http/validation-error.ts'
import { readOutcome } from './read-outcome.ts'

interface RunnerApiRoutesContext {
  readonly source: RunnerService
  /** Returns what runners must deny to their checks. */
  readonly denied: () => Promise<Denials>
  /** Ends questions to the model. */
  readonly stopping: AbortSignal
  readonly outcomeBytes: number
}

/**
 * Adds `POST /runner/claim`, `heartbeat`, `complete` and `release`. They do what the check source does in process, for
 * the checks of the token in the request.
 */
export function addRunnerApiRoutes(
  app: FastifyInstance,
  { source, denied, stopping, outcomeBytes }: RunnerApiRoutesContext,
): void {
  const termsOf = async ({ livesMs }: LiveRunnerToken) => {
    const { cidrs, endpoints } = await denied()
    return {
      lease_ms: source.leaseMs,
      token_ms: livesMs,
      denied: { version: 1, cidrs: [...cidrs], endpoints: [...endpoints] },
    }
  }

  app.post('/runner/claim', async (request): Promise<RunnerClaimed> => {
    const runner = runnerOf(request)
    const { limit } = read(RunnerClaim, request.body)
    // Before the claim: a claim whose answer is not sent leaves checks without a runner.
    const terms = await termsOf(runner)
    const tasks = await source.claim(limit, runner.id)
    return { tasks: tasks.map(taskToWire), ...terms }
  })

  app.post('/runner/heartbeat', async (request): Promise<RunnerHeld> => {
    const runner = runnerOf(request)
    const { checks } = read(RunnerHeartbeat, request.body)
    return { held: [...(await source.heartbeat(checks, runner.id))], ...(await termsOf(runner)) }
  })

  app.post('/runner/release', async (request, reply) => {
    const { checks, delay_ms } = read(RunnerRelease, request.body)
    await source.release(checks, delay_ms, runnerOf(request).id)
    return reply.code(204).send()
  })

  app.post('/runner/complete', { bodyLimit: outcomeBytes }, async (request, reply) => {
    if (!Buffer.isBuffer(request.body)) throw apiError('UNSUPPORTED_MEDIA_TYPE', '')
    const told = readOutcome(request.body)
    const signal = AbortSignal.any([stopping, goneOf(reply)])
    const completion = await source.complete(told, runnerOf(request).id, signal)
    if (completion.kind === 'unbelievable') throw validationError('body', completion.issues)
    if (completion.kind === 'not_held')
      throw apiError('CONFLICT', 'This check is not, or no longer, leased with this token.')
    if (completion.kind === 'abandoned')
      throw new ApiError('UNAVAILABLE', 'The outcome was not stored. Try again.', {
        headers: { 'retry-after': '1' },
      })
    return reply.code(204).send()
  })
}

/** Returns a signal that aborts when the connection ends before its answer: nobody waits for the answer any more. */
function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

function runnerOf({ runner }: FastifyRequest): LiveRunnerToken {
  if (!runner) throw new TypeError('a call of the runner API was reached without a token')
  return runner
}

function read<S extends TSchema>(schema: S, body: unknown): Static<S> {
  if (Buffer.isBuffer(body)) throw apiError('UNSUPPORTED_MEDIA_TYPE', '')
  const checked = checkerOf(schema).validate(body)
  if (!checked.ok) throw validationError('body', checked.issues)
  return checked.value
}
