import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { Denials } from '../../egress/policy.ts'
import { tasksToWire } from '../../runners/check/kinds/check-kind.ts'
import {
  RunnerClaim,
  type RunnerClaimed,
  RunnerExchange,
  type RunnerExchanged,
  type RunnerHeld,
  RELAY_CHECK,
  RunnerHeartbeat,
  RunnerProxy,
  type RunnerProxyHold,
  type RunnerReading,
  RunnerRelease,
  SANDBOX_HEADER,
} from '../../schema/runner-api.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { EXCHANGE_EVERY_SECONDS, exchangeRunnerToken } from '../../store/accounts/credentials/runner-token-exchange.ts'
import {
  type LiveRunnerToken,
  returnRunnerClaims,
  takeRunnerClaims,
} from '../../store/accounts/credentials/runner-tokens.ts'
import type { Store } from '../../store/db/client.ts'
import type { RelayedConnect } from '../../worker/queue/proxy-relay.ts'
import type { RunnerService } from '../../worker/queue/runner-service.ts'
import { ApiError, apiError } from '../http/api-error.ts'
import { validationError } from '../http/validation-error.ts'
import { readOutcome } from './read-outcome.ts'
import { noToken, type OnReused, runnerToken } from './runner-token.ts'

interface RunnerApiRoutesContext {
  readonly source: RunnerService
  /** Returns what runners must deny to their checks. */
  readonly denied: () => Promise<Denials>
  readonly store: Store
  /** Ends questions to the model. */
  readonly stopping: AbortSignal
  readonly outcomeBytes: number
  readonly onRendered: (isSandboxed: boolean) => void
  readonly onReused: OnReused
}

/**
 * Adds `POST /runner/claim`, `heartbeat`, `complete`, `release`, `proxy` and `exchange`, and CONNECT. They do what the
 * check source does in process, for the checks of the token in the request.
 */
export function addRunnerApiRoutes(app: FastifyInstance, context: RunnerApiRoutesContext): void {
  const { source, store, denied, stopping, outcomeBytes, onRendered } = context
  const termsOf = async ({ livesMs, claimsLeft, renewMs }: LiveRunnerToken) => {
    const { cidrs, endpoints, databasePorts = [] } = await denied()
    return {
      lease_ms: source.leaseMs,
      token_ms: livesMs,
      ...(claimsLeft !== null && { claims_left: claimsLeft }),
      ...(renewMs !== null && { renew_ms: renewMs }),
      denied: { version: 1, cidrs: [...cidrs], endpoints: [...endpoints], database_ports: [...databasePorts] },
    }
  }

  app.post('/runner/claim', async (request): Promise<RunnerClaimed> => {
    const runner = runnerOf(request)
    const { limit, exit, level = 1 } = read(RunnerClaim, request.body)
    // Before the claim: a claim whose answer is not sent leaves checks without a runner.
    const terms = await termsOf(runner)
    const { claimed, left } = await boundedClaim(store, runner, limit, (most) =>
      source.claim(most, { ...runner, level }, exit ?? null),
    )
    const { tasks, searches } = tasksToWire(source.kinds, claimed)
    return { tasks, ...(exit !== undefined && { searches }), ...terms, ...(left !== null && { claims_left: left }) }
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
    const reported = readOutcome(request.body)
    const signal = AbortSignal.any([stopping, goneOf(reply)])
    const completion = await source.complete(reported, runnerOf(request).id, signal)
    if (completion.kind === 'invalid') throw validationError('body', completion.issues)
    if (completion.kind === 'not_held') throw apiError('CONFLICT', NOT_LEASED)
    if (completion.kind === 'abandoned')
      throw new ApiError('UNAVAILABLE', 'The outcome was not stored. Try again.', {
        headers: { 'retry-after': '1' },
      })
    if (isRendered(reported.outcome.reading)) onRendered(request.headers[SANDBOX_HEADER] !== 'off')
    return reply.code(204).send()
  })

  addExchange(app, context)
  addProxy(app, context)
}

/** Adds the exchange of the token in the request for another one. */
function addExchange(app: FastifyInstance, { store }: RunnerApiRoutesContext): void {
  app.post('/runner/exchange', async (request): Promise<RunnerExchanged> => {
    const runner = runnerOf(request)
    read(RunnerExchange, request.body)
    if (runner.renewMs === null)
      throw apiError('CONFLICT', 'This token is for one Job and is not renewed: it was created without --renew.')
    const exchanged = await exchangeRunnerToken(store, runner)
    if (exchanged.kind === 'ended') throw noToken()
    if (exchanged.kind === 'too_soon')
      throw new ApiError('RATE_LIMIT_EXCEEDED', 'This token was exchanged a moment ago. Try again in a minute.', {
        headers: { 'retry-after': String(EXCHANGE_EVERY_SECONDS) },
      })
    return { token: exchanged.token, token_ms: exchanged.livesMs, renew_ms: exchanged.renewMs }
  })
}

/** Returns whether a browser has shown a page. */
const isRendered = (reading: RunnerReading): boolean =>
  reading.kind === 'search' || ('fetch_method' in reading && reading.fetch_method === 'browser')

/** Claims no more checks than the token has left. Returns what it has left then; null: it is not bounded. */
async function boundedClaim(
  store: Store,
  { id, claimsLeft }: LiveRunnerToken,
  limit: number,
  claim: RunnerClaims,
): Promise<{ readonly claimed: Awaited<ReturnType<RunnerClaims>>; readonly left: number | null }> {
  if (claimsLeft === null) return { claimed: await claim(limit), left: null }
  const most = await takeRunnerClaims(store, id, limit)
  const claimed = most === 0 ? [] : await claim(most)
  if (claimed.length < most) await returnRunnerClaims(store, id, most - claimed.length)
  return { claimed, left: Math.max(0, claimsLeft - claimed.length) }
}

type RunnerClaims = (most: number) => ReturnType<RunnerService['claim']>

/** Adds what a check needs that its site refused: proxy bytes, and the tunnels that use them. */
function addProxy(app: FastifyInstance, { source, store, onReused }: RunnerApiRoutesContext): void {
  app.post('/runner/proxy', async (request): Promise<RunnerProxyHold> => {
    const held = await source.holdProxy(read(RunnerProxy, request.body), runnerOf(request).id)
    if (held === null) throw apiError('CONFLICT', NOT_LEASED)
    return held
  })

  app.post('/runner/proxy/release', async (request, reply) => {
    await source.relay?.release(read(RunnerProxy, request.body), runnerOf(request).id)
    return reply.code(204).send()
  })

  app.server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    // Fastify does not see this request: a failure here ends its connection.
    relayed({ request, client, head }).catch(() => client.destroy())
  })
  app.addHook('preClose', async () => source.relay?.close())

  async function relayed(asked: RelayedConnect): Promise<void> {
    const { headers } = asked.request
    asked.client.on('error', () => asked.client.destroy())
    const runner = await runnerToken(store, headers['proxy-authorization'], onReused).catch(() => null)
    const [no = NaN, fence = NaN] = String(headers[RELAY_CHECK] ?? '')
      .split(' ')
      .map(Number)
    const check = checkerOf(RunnerProxy).validate({ no, fence })
    if (runner && check.ok && source.relay) return source.relay.connect(asked, check.value, runner.id)
    const status = runner ? '403 Forbidden' : '407 Proxy Authentication Required'
    asked.client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
  }
}

const NOT_LEASED = 'This check is not, or no longer, leased with this token.'

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
