import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createKeyedBudget, type KeyedBudget } from '../../concurrency/gates/keyed-budget.ts'
import type { Denials } from '../../egress/policy.ts'
import { guardConnections, type OnRefused } from '../../platform/connection-guard.ts'
import {
  OUTCOME_HEAD_BYTES,
  OUTCOME_PICTURES_BYTES,
  OUTCOME_TYPE,
  RUNNER_API_HEADER,
  SANDBOX_HEADER,
  SPOKEN_VERSIONS,
} from '../../schema/runner-api.ts'
import { type LiveRunnerToken, noteUnsandboxed } from '../../store/accounts/credentials/runner-tokens.ts'
import type { Store } from '../../store/db/client.ts'
import type { RunnerService } from '../../worker/queue/runner-service.ts'
import { connectionKey } from '../auth/rate-limits.ts'
import { type ApiError, apiError } from '../http/api-error.ts'
import { bareApp } from '../http/bare-app.ts'
import { answerTooMany, needsHost, sendError, standardHeaders } from '../http/client-error.ts'
import { parseJsonBody, refuseEncoded } from '../http/read-request.ts'
import { addRunnerApiRoutes } from './runner-api-routes.ts'
import { type OnReused, runnerToken } from './runner-token.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The runner token of a request to the runner API; null elsewhere. */
    runner: LiveRunnerToken | null
  }
}

interface RunnerApiOptions {
  readonly source: RunnerService
  /** Returns what runners must deny to their checks. */
  readonly denied: () => Promise<Denials>
  readonly store: Store
  readonly log: FastifyBaseLogger
  /** Networks whose connections are not limited. */
  readonly trustedProxies?: readonly string[]
  /** Open connections of one client address; 0: any number. */
  readonly connectionsPerAddress?: number
  readonly onRefused?: OnRefused | undefined
  /** Called with each rendered page that a runner hands in: whether its browsers have their own sandbox. */
  readonly onRendered?: (isSandboxed: boolean) => void
  /** Called when a token was revoked because the one before it was used. */
  readonly onReused?: OnReused
  /** Bytes of outcomes in memory at once. */
  readonly budgetBytes?: number
}

/** Enough for a list of a thousand checks. */
export const JSON_BYTES = 65_536
const OUTCOME_BYTES = 4 + OUTCOME_HEAD_BYTES + OUTCOME_PICTURES_BYTES
const BUDGET_BYTES = 4 * OUTCOME_BYTES

/**
 * Returns the runner API with its calls. It has its own port, and nothing of it is part of the public API. It does
 * not listen yet.
 */
export function buildRunnerApi(options: RunnerApiOptions): FastifyInstance {
  const { source, denied, store, log, budgetBytes = BUDGET_BYTES } = options
  const { trustedProxies = [], connectionsPerAddress } = options
  const { app, answerFault } = bareApp({
    log,
    // An answer may take as long as a model does. A runner that has gone is detected by its connection.
    limits: { bodyLimit: JSON_BYTES, requestTimeout: 60_000, connectionTimeout: 0 },
    readJson: parseJsonBody,
    send: (error, request, reply) => sendError(request, reply, forRunners(error)),
    words: { outage: 'requests of runners', failure: 'a request of a runner failed' },
  })
  guardConnections(app.server, {
    keyOf: connectionKey(trustedProxies),
    refuse: answerTooMany,
    onRefused: options.onRefused,
    ...(connectionsPerAddress !== undefined && { perAddress: connectionsPerAddress }),
  })
  // Of all bytes, one token may hold half: who sends slowly must not keep the others out.
  const budget = createKeyedBudget<number>({ total: budgetBytes, perKey: budgetBytes / 2 })
  const stopping = new AbortController()
  const onReused: OnReused = ({ id, job }) => {
    log.error({ token_id: id, job }, REUSED)
    options.onReused?.({ id, job })
  }
  app.decorateRequest('runner', null)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(standardHeaders(request.id))
    needsHost(request.raw)
    if (request.is404) throw notFound()
    request.runner = await runnerToken(store, request.headers.authorization, onReused)
    needsSpokenVersion(request)
    if (request.headers[SANDBOX_HEADER] === 'off' && !request.runner.isUnsandboxed)
      await noteUnsandboxed(store, request.runner.id)
    if (request.routeOptions.bodyLimit === OUTCOME_BYTES)
      reserve(reply, budget.take(request.runner.id, sizeOf(request)))
  })
  app.addContentTypeParser(OUTCOME_TYPE, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    refuseEncoded(request.headers)
    return body
  })
  app.setNotFoundHandler((request, reply) => answerFault(notFound(), request, reply))
  // Questions to the model are ended at once; the next worker or runner of the check asks them again. Records are
  // written.
  app.addHook('preClose', async () => stopping.abort())
  app.addHook('onResponse', async (request) => {
    if (stopping.signal.aborted) request.raw.socket.end()
  })
  addRunnerApiRoutes(app, {
    source,
    store,
    denied,
    stopping: stopping.signal,
    outcomeBytes: OUTCOME_BYTES,
    onRendered: options.onRendered ?? (() => undefined),
    onReused,
  })
  return app
}

const REUSED =
  'a runner token was used after another one had taken its place, so that one is revoked as well: it was copied, or ' +
  'two runners have it. Create another with "tidemark admin create-runner-token"'

/** Throws when the runner has a version that is not spoken here. A runner that names none is of the first one. */
function needsSpokenVersion({ headers }: FastifyRequest): void {
  const asked = String(headers[RUNNER_API_HEADER] ?? 1)
  if (SPOKEN_VERSIONS.some((version) => String(version) === asked)) return
  throw apiError(
    'VALIDATION_ERROR',
    `This worker speaks version ${SPOKEN_VERSIONS.join(' and ')} of the runner API, and the runner version ` +
      `${asked.slice(0, 20)}. Run both from the same release.`,
    [{ path: RUNNER_API_HEADER, message: `must be ${SPOKEN_VERSIONS.join(' or ')}` }],
  )
}

/** Returns the size that the request declares; a request without one may take the whole limit. */
function sizeOf({ headers }: FastifyRequest): number {
  const said = Number(headers['content-length'] ?? OUTCOME_BYTES)
  return Number.isSafeInteger(said) ? Math.min(said, OUTCOME_BYTES) : OUTCOME_BYTES
}

function reserve(reply: FastifyReply, giveBack: ReturnType<KeyedBudget<number>['take']>): void {
  if (typeof giveBack === 'string') {
    // The body is not read, so no other request may follow on this connection.
    reply.header('connection', 'close').header('retry-after', '1')
    throw apiError('RATE_LIMIT_EXCEEDED', 'Too many outcomes are being stored. Try again in a moment.')
  }
  reply.raw.once('close', giveBack)
}

const notFound = () => apiError('NOT_FOUND', 'There is nothing at this address.')

/** Replaces the message that names the content type of the public API. */
function forRunners(error: ApiError): ApiError {
  if (error.code === 'UNSUPPORTED_MEDIA_TYPE')
    return apiError(
      error.code,
      `The body must be application/json, or ${OUTCOME_TYPE} for /runner/complete, not compressed.`,
    )
  return error
}
