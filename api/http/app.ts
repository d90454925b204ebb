import { Readable } from 'node:stream'
import {
  fastify,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import manifest from '../../package.json' with { type: 'json' }
import {
  answerClientError,
  answerExpectation,
  answerTooMany,
  needsHost,
  sendError,
  requestIdOf,
  standardHeaders,
} from './client-error.ts'
import { faultOf } from './fault.ts'
import { addHealthRoutes } from './health.ts'
import { forgetTypeOfNothing, isSigned, parseForm, readJsonBody, refuseEncoded, readRequest } from './read-request.ts'
import { answerOnce } from './answer-once.ts'
import { faultPage } from '../pages/page.ts'
import type { Route, Answer, PublicCall } from './route.ts'
import type { Services } from '../services.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { admit, admitPublic } from '../auth/admit.ts'
import { clientAddress, connectionKey } from '../auth/rate-limits.ts'
import { CONNECTION_LIMITS, guardConnections } from '../../platform/connection-guard.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import type { RequestTrace, Tracer } from '../../core/tracer.ts'
import { actorOf, type Principal } from '../auth/principals.ts'
import { ApiError, apiError } from './api-error.ts'

/**
 * The largest definition of one monitor fits: 25 webhooks with 20 headers of 2,048 characters each, and a body of
 * 100,000 characters, each of which may be written as two times \uXXXX.
 */
const BODY_LIMIT = 4_194_304

const FORM = 'application/x-www-form-urlencoded'
const FORM_LIMIT = 16_384
const SIGNED_LIMIT = 1_048_576

/** Returns the API with the given services. It does not listen yet. */
export function buildApp(services: Services, routes: readonly Route[]): FastifyInstance {
  const app = bareApp(services)
  app.server.on('checkExpectation', answerExpectation)
  guardConnections(app.server, {
    perAddress: services.connectionsPerAddress,
    keyOf: connectionKey(services.trustedProxies),
    refuse: answerTooMany,
    onRefused: services.onRefused,
  })
  app.decorateRequest('principal', null)
  app.decorateRequest('trace', null)
  app.addHook('onRoute', ({ url, config }) => {
    if (!config?.policy) throw new TypeError(`the route ${url} has no policy`)
  })
  const notFound = createNotFound(routes)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(standardHeaders(request.id))
    needsHost(request.raw)
    // Refused before the body is read, which may be as wrong as the address.
    if (request.is404 || notFound.isShadowed(request)) throw notFound.error(request.url)
    forgetTypeOfNothing(request.raw.headers)
  })
  addEndings(app)
  if (services.tracer) addTraces(app, services.tracer)
  // Validation is Tidemark's own (schema/validation/validate.ts). A route with Fastify's kind of schema would not be
  // validated.
  app.setValidatorCompiler(() => {
    throw new TypeError('requests are checked by read-request.ts')
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    refuseEncoded(request.headers)
    return readJsonBody(body)
  })
  app.setErrorHandler((error, request, reply) => answerFault(error, request, reply, services.log))
  app.setNotFoundHandler((request, reply) => answerFault(notFound.error(request.url), request, reply, services.log))
  addHealthRoutes(app, services.health, { isHere: services.metricsHere, token: services.metricsToken })
  const isForm = (route: Route) => route.policy === 'public' && route.isForm === true
  for (const route of routes) if (!isForm(route) && !isSigned(route)) addRoute(app, services, route)
  void app.register(async (forms) => {
    forms.removeAllContentTypeParsers()
    forms.addContentTypeParser(
      FORM,
      { parseAs: 'buffer', bodyLimit: FORM_LIMIT },
      async (request: FastifyRequest, body: Buffer) => {
        refuseEncoded(request.headers)
        return parseForm(body)
      },
    )
    for (const route of routes) if (isForm(route)) addRoute(forms, services, route)
  })
  void app.register(async (signed) => {
    signed.removeAllContentTypeParsers()
    const limits = { parseAs: 'buffer', bodyLimit: SIGNED_LIMIT } as const
    signed.addContentTypeParser('*', limits, async (_request: FastifyRequest, body: Buffer) => body)
    for (const route of routes) if (isSigned(route)) addRoute(signed, services, route)
  })
  return app
}

function bareApp(services: Services): FastifyInstance {
  return fastify({
    loggerInstance: services.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestIdOf,
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
    frameworkErrors: (error, request, reply) => void answerFault(error, request, reply, services.log),
    clientErrorHandler: answerClientError,
    http: { requireHostHeader: false, ...CONNECTION_LIMITS },
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

/** `root`: the log of the process. Fastify wraps it, and the outage of the store belongs to it. */
function answerFault(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  root: FastifyBaseLogger,
): FastifyReply {
  const { error, unexpected } = faultOf(thrown)
  if (unexpected && !storeOutage(root).covers(thrown, 'requests'))
    request.log.error({ err: thrown, route: request.routeOptions?.url }, 'a request failed')
  return sendError(request, reply, error, isForPerson(request) ? faultPage(error, request) : null)
}

/** A browser opened a page or posted its form. Scripts get errors as from all other routes. */
const isForPerson = ({ headers: { accept = '' }, routeOptions }: FastifyRequest) =>
  routeOptions?.config?.isPage === true && /\btext\/html\b/i.test(accept)

const isPage = ({ answers }: Route) =>
  answers[302] !== undefined || Object.values(answers).some(({ only }) => only === 'text/html')

const isRunStarted = (body: unknown): body is { readonly run_id: string } =>
  typeof body === 'object' && body !== null && 'run_id' in body && typeof body.run_id === 'string'

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

/**
 * Registers a route of the table: credentials and policy before the body is read, then the validation, then the
 * handler.
 */
function addRoute(app: FastifyInstance, services: Services, route: Route): void {
  for (const schema of [route.params, route.query, route.body]) if (schema) checkerOf(schema)
  app.route({
    method: route.method,
    url: route.path,
    config: { policy: route.policy, isPage: isPage(route) },
    onRequest: async (request, reply) => {
      if (route.policy === 'public') await admitPublic(services, route, request, reply)
      else {
        request.principal = await admit(services, route, request, reply)
        // For those who have a credential: the command line explains by it what an older server does not know.
        reply.header('tidemark-version', manifest.version)
      }
    },
    handler: async (request, reply) => {
      const answer = await answerOf(services, route, request)
      if (request.trace && request.method === 'POST' && isRunStarted(answer.body))
        request.trace.startedRun(answer.body.run_id)
      if (answer.headers) reply.headers(answer.headers)
      reply.code(answer.status)
      if (answer.text) return reply.type(`${answer.text.type}; charset=utf-8`).send(answer.text.content)
      if (answer.bytes) return reply.type(answer.bytes.type).send(Buffer.from(answer.bytes.content))
      if (answer.stream)
        return reply.type(`${answer.stream.type}; charset=utf-8`).send(Readable.from(answer.stream.content))
      if (answer.body === undefined) return reply.send()
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.body))
    },
  })
}

/** Gives each request its place in a trace, and gives it back as `traceparent`. */
function addTraces(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', async (request) => {
    const { traceparent } = request.headers
    request.trace = tracer.beginRequest(typeof traceparent === 'string' ? traceparent : undefined)
  })
  app.addHook('onSend', async (request, reply) => {
    if (request.trace) reply.header('traceparent', request.trace.header)
  })
  app.addHook('onResponse', async (request, reply) => {
    const { trace, id: requestId, method, params } = request
    const { url: route } = request.routeOptions
    // Probes and scrapes are many, and nobody looks for them.
    if (!trace || route === undefined || !/^\/(v1|auth)/.test(route)) return
    const { id: monitorId = null } = (route.startsWith('/v1/monitors/:id') ? params : {}) as { readonly id?: string }
    tracer.endRequest(trace, { requestId, method, route, status: reply.statusCode, ms: reply.elapsedTime, monitorId })
  })
}

function answerOf(services: Services, route: Route, request: FastifyRequest): Promise<Answer> {
  // Fastify's query parser returns a list for a repeated parameter, and text for any other.
  const query = request.query as Readonly<Record<string, string | readonly string[]>>
  const parts = readRequest(route, { params: request.params, query, body: request.body }, services)
  const address = clientAddress(request)
  const call: PublicCall<unknown, unknown, unknown> = {
    ...parts,
    services,
    headers: request.headers,
    address,
    requestId: request.id,
    log: request.log,
  }
  if (route.policy === 'public') return route.handle(call)
  if (!request.principal) throw new Error('a route with a policy was reached without a principal')
  const admitted = { ...call, principal: request.principal, actor: actorOf(request.principal, address) }
  const key = request.headers['idempotency-key']
  return route.takesKey && key !== undefined ? answerOnce(route, key, admitted) : route.handle(admitted)
}

/** Distinguishes an address that does not exist (404) from one that exists with other methods (405). */
interface NotFound {
  error(url: string): ApiError
  /**
   * Returns whether a request reached a route with parameters although its address is that of other routes: without
   * this, `PATCH /v1/monitors/bulk` would edit a monitor whose id is `bulk`.
   */
  isShadowed(request: Pick<FastifyRequest, 'url' | 'routeOptions'>): boolean
}

/** Builds it once from the route table. */
function createNotFound(routes: readonly Route[]): NotFound {
  const methods = new Map<string, Set<string>>()
  for (const { method, path } of routes) {
    const known = methods.get(path) ?? new Set()
    methods.set(path, known.add(method))
    if (method === 'GET') known.add('HEAD')
  }
  const isPlain = (path: string) => !path.includes(':')
  // A plain path comes before one with parameters, as in the router.
  const sorted = [...methods].sort(([a], [b]) => Number(isPlain(b)) - Number(isPlain(a)))
  const patterns = sorted.map(([path, allowed]) => ({
    allowed: [...allowed].sort().join(', '),
    pattern: patternOf(path),
  }))
  return {
    error(url) {
      const path = pathOf(url)
      const match = patterns.find(({ pattern }) => pattern.test(path))
      if (!match) return apiError('NOT_FOUND', 'There is nothing at this address.')
      const message = `This address accepts ${match.allowed} only.`
      return new ApiError('METHOD_NOT_ALLOWED', message, { headers: { allow: match.allowed } })
    },
    isShadowed: ({ url, routeOptions }) =>
      routeOptions.url !== undefined && !isPlain(routeOptions.url) && methods.has(pathOf(url)),
  }
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? url

const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`)
