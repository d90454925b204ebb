import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { openToAll } from '../../core/health.ts'
import type { RequestTrace } from '../../core/tracer.ts'
import { boundRequests, guardConnections } from '../../platform/connection-guard.ts'
import { REQUEST_LIMITS } from '../../schema/request-limits.ts'
import type { Principal } from '../auth/principals.ts'
import { connectionKey } from '../auth/rate-limits.ts'
import { faultPage } from '../pages/page-answer.ts'
import type { Services } from '../services.ts'
import { addRoutes } from './add-routes.ts'
import { addTraces } from './add-traces.ts'
import { bareApp } from './bare-app.ts'
import { BODY_LIMITS } from './body-limits.ts'
import { answerExpectation, answerTooMany, needsHost, sendError, standardHeaders } from './client-error.ts'
import { addHealthRoutes } from './health-routes.ts'
import { forgetTypeOfNothing, readJsonBody } from './read-request.ts'
import type { Route } from './route.ts'

/** Milliseconds for an answer, and for a connection on which nothing moves. */
type Times = Pick<FastifyServerOptions, 'handlerTimeout' | 'connectionTimeout'>

/** Fastify sets none of these limits by default, but for that of bodies. Each route of the table has its own. */
export const LIMITS = {
  bodyLimit: BODY_LIMITS.public,
  requestTimeout: 30_000,
  // Longer than the time for an answer: the connection of a handler that hangs is idle, and has to carry the 503.
  connectionTimeout: 75_000,
  handlerTimeout: 60_000,
  routerOptions: { maxParamLength: 200 },
} as const satisfies FastifyServerOptions

/** Returns the API with the given services. It does not listen yet. `times` are shorter in tests. */
export function buildApp(services: Services, routes: readonly Route[], times: Times = LIMITS): FastifyInstance {
  const { app, answerFault } = bareApp({
    log: services.log,
    limits: { ...LIMITS, ...times, trustProxy: services.trustedProxies.length > 0 && [...services.trustedProxies] },
    readJson: readJsonBody,
    send: (error, request, reply) =>
      sendError(request, reply, error, isForPerson(request) ? faultPage(error, request) : null),
    words: { outage: 'requests', failure: 'a request failed' },
  })
  app.server.on('checkExpectation', answerExpectation)
  guardConnections(app.server, {
    perAddress: services.connectionsPerAddress,
    keyOf: connectionKey(services.trustedProxies),
    refuse: answerTooMany,
    onRefused: services.onRefused,
  })
  boundRequests(app.server, REQUEST_LIMITS.ofConnection)
  app.decorateRequest('principal', null)
  app.decorateRequest('trace', null)
  app.addHook('onRoute', ({ url, config }) => {
    if (!config?.policy) throw new TypeError(`the route ${url} has no policy`)
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(standardHeaders(request.id))
    needsHost(request.raw)
    forgetTypeOfNothing(request.raw.headers)
  })
  addEndings(app, services)
  if (services.tracer) addTraces(app, services.tracer)
  addHealthRoutes(app, services.health, { isHere: services.metricsHere, token: services.metricsToken ?? openToAll })
  addRoutes(app, services, { routes, answerFault })
  return app
}

/**
 * Adds what happens after an answer: a line in the log, and, while closing, the end of its connection, which the client
 * might keep idle for long. Streams of events end when closing begins: nobody waits for them.
 */
function addEndings(app: FastifyInstance, { events }: Pick<Services, 'events'>): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
    await events.close()
  })
  app.addHook('onResponse', async (request, reply) => {
    logAnswer(request, reply)
    if (closing) request.raw.socket.end()
  })
}

/**
 * A browser opened a page, or an address where there is nothing, or posted a form. Scripts get errors as from all other
 * routes.
 */
const isForPerson = ({ headers: { accept = '' }, routeOptions, is404, url }: FastifyRequest) =>
  (routeOptions?.config?.isPage === true || (is404 && !url.startsWith(OF_SCRIPTS))) && /\btext\/html\b/i.test(accept)
const OF_SCRIPTS = '/v1/'

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

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where nothing is traced. */
    trace: RequestTrace | null
    /** Set once the caller was admitted; null on public routes. */
    principal: Principal | null
  }
  interface FastifyContextConfig {
    /** Every route has one; registering a route without it fails. */
    policy?: Route['policy']
    /** It answers what a browser shows. */
    isPage?: boolean
  }
}
