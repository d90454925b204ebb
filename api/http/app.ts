import { randomUUID } from 'node:crypto'
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { addRoute } from './add-route.ts'
import { envelope } from './api-error.ts'
import { answerClientError, answerExpectation, needsHost } from './client-error.ts'
import { faultOf } from './fault.ts'
import { addHealthRoutes } from './health.ts'
import { forgetTypeOfNothing, parseJsonBody, refuseEncoded } from './json-body.ts'
import { createNotFound } from './not-found.ts'
import type { Route } from './route.ts'
import type { Services } from '../services.ts'
import { standardHeaders } from './standard-headers.ts'

/**
 * The largest definition of one monitor fits: 25 webhooks with 20 headers of 2,048 characters each, and a body of
 * 100,000 characters, each of which may be written as two times \uXXXX.
 */
const BODY_LIMIT = 4_194_304

/** Returns the API with the given services. It does not listen yet. */
export function buildApp(services: Services, routes: readonly Route[]): FastifyInstance {
  const app = bareApp(services)
  app.server.on('checkExpectation', answerExpectation)
  app.decorateRequest('principal', null)
  app.addHook('onRoute', ({ url, config }) => {
    if (!config?.policy) throw new TypeError(`the route ${url} has no policy`)
  })
  const notFound = createNotFound(routes)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(standardHeaders(request.id))
    needsHost(request.raw)
    // Refused before the body is read, which may be as wrong as the address.
    if (request.is404) throw notFound(request.url)
    forgetTypeOfNothing(request.raw.headers)
  })
  addEndings(app)
  // Validation is Tidemark's own (schema/validation/validate.ts). A route with Fastify's kind of schema would not be
  // validated.
  app.setValidatorCompiler(() => {
    throw new TypeError('requests are checked by read-request.ts')
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    refuseEncoded(request.headers)
    return parseJsonBody(body)
  })
  app.setErrorHandler((error, request, reply) => answerFault(error, request, reply))
  app.setNotFoundHandler((request, reply) => answerFault(notFound(request.url), request, reply))
  addHealthRoutes(app, services.health, services.metricsHere)
  for (const route of routes) addRoute(app, services, route)
  return app
}

function bareApp(services: Services): FastifyInstance {
  return fastify({
    loggerInstance: services.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: services.trustedProxies.length > 0 && [...services.trustedProxies],
    bodyLimit: BODY_LIMIT,
    // Fastify sets none of these limits by default.
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    handlerTimeout: 60_000,
    forceCloseConnections: 'idle',
    // Requests that arrive on an open connection during the close are served; Fastify's own 503 would not have the
    // API's envelope.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (error, request, reply) => void answerFault(error, request, reply),
    clientErrorHandler: answerClientError,
    http: { requireHostHeader: false },
  })
}

/**
 * Adds what happens after an answer: a line in the log, and, while closing, the end of its connection, which the client
 * might keep idle for long.
 */
function addEndings(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => void (closing = true))
  app.addHook('onResponse', async (request, reply) => {
    logAnswer(request, reply)
    if (closing) request.raw.socket.end()
  })
}

function answerFault(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { error, unexpected } = faultOf(thrown)
  if (unexpected) request.log.error({ err: thrown, route: request.routeOptions?.url }, 'a request failed')
  return reply
    .code(error.status)
    .headers({ ...standardHeaders(request.id), ...error.headers })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(envelope(error, request.id)))
}

/** Logs the route's template, never the address: the address may contain what should not be logged. */
function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const { principal } = request
  const who = principal === null ? {} : principal.kind === 'key' ? { key: principal.keyId } : { user: principal.userId }
  const ms = Math.round(reply.elapsedTime * 10) / 10
  request.log.debug(
    { method: request.method, route: request.routeOptions.url, status: reply.statusCode, ms, ...who },
    'answered',
  )
}
