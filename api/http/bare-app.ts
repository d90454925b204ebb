import {
  fastify,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { CONNECTION_LIMITS } from '../../platform/connection-guard.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import type { ApiError } from './api-error.ts'
import { answerClientError, requestIdOf } from './client-error.ts'
import { faultOf } from './fault.ts'
import { refuseEncoded } from './read-request.ts'

interface BareAppOptions {
  /** The log of the process. Fastify wraps it, and the outage of the store belongs to it. */
  readonly log: FastifyBaseLogger
  readonly limits: Pick<
    FastifyServerOptions,
    'bodyLimit' | 'connectionTimeout' | 'handlerTimeout' | 'requestTimeout' | 'routerOptions' | 'trustProxy'
  >
  readonly readJson: (body: Buffer) => unknown
  readonly send: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => FastifyReply
  /** For the log: what fails while the store is away, and the line of an error that nobody expected. */
  readonly words: { readonly outage: string; readonly failure: string }
}

interface BareApp {
  readonly app: FastifyInstance
  answerFault(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply
}

/**
 * Validation is Tidemark's own (schema/validation/validate.ts). A route with Fastify's kind of schema would not be
 * validated. Without its compilers, a process loads 0.7 MB of code less.
 */
const noCompiler = () => () => {
  throw new TypeError('Fastify neither validates requests nor compiles answers here')
}

/** Returns what the API and the runner API have in common: limits, the JSON parser, and errors in their envelope. */
export function bareApp({ log, limits, readJson, send, words }: BareAppOptions): BareApp {
  function answerFault(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { error, unexpected } = faultOf(thrown, request.routeOptions?.bodyLimit)
    if (unexpected && !storeOutage(log).covers(thrown, words.outage))
      request.log.error({ err: thrown, route: request.routeOptions?.url }, words.failure)
    return send(error, request, reply)
  }
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestIdOf,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    // Requests that arrive on an open connection during the close are served; Fastify's own 503 would not have the
    // API's envelope.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void answerFault(error, request, reply),
    clientErrorHandler: answerClientError,
    http: { requireHostHeader: false, ...CONNECTION_LIMITS },
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    ...limits,
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    refuseEncoded(request.headers)
    return readJson(body)
  })
  app.setErrorHandler(answerFault)
  return { app, answerFault }
}
