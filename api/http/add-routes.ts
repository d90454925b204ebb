import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import manifest from '../../package.json' with { type: 'json' }
import { LIST_LIMITS } from '../../schema/list-limits.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { admit, admitPublic } from '../auth/admit.ts'
import { actorOf } from '../auth/principals.ts'
import { clientAddress } from '../auth/rate-limits.ts'
import type { Services } from '../services.ts'
import { answerOnce } from './answer-once.ts'
import { ApiError, apiError } from './api-error.ts'
import { atWork } from './at-work.ts'
import { bodyLimitOf } from './body-limits.ts'
import { beginEventStream } from './event-stream.ts'
import { inTurn, receiveInTurn, readPicture, sendText, type Turn } from './in-turn.ts'
import { isSigned, parseForm, readRequest, refuseEncoded } from './read-request.ts'
import type { Answer, PublicCall, Route } from './route.ts'
import { timedStream } from './timed-stream.ts'

const FORM = 'application/x-www-form-urlencoded'

interface Answering {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly turn: Turn
}

interface RoutesOptions {
  readonly routes: readonly Route[]
  answerFault(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply
}

/** Adds the routes of the table, and refuses every other address. */
export function addRoutes(app: FastifyInstance, services: Services, { routes, answerFault }: RoutesOptions): void {
  const notFound = createNotFound(routes)
  app.addHook('onRequest', async (request) => {
    // Refused before the body is read, which may be as wrong as the address.
    if (request.is404 || notFound.isShadowed(request)) throw notFound.error(request.url)
  })
  app.setNotFoundHandler((request, reply) => answerFault(notFound.error(request.url), request, reply))
  const isForm = (route: Route) => route.policy === 'public' && route.isForm === true
  for (const route of routes) if (!isForm(route) && !isSigned(route)) addRoute(app, services, route)
  void app.register(async (forms) => {
    forms.removeAllContentTypeParsers()
    forms.addContentTypeParser(FORM, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
      refuseEncoded(request.headers)
      return parseForm(body)
    })
    for (const route of routes) if (isForm(route)) addRoute(forms, services, route)
  })
  void app.register(async (signed) => {
    signed.removeAllContentTypeParsers()
    signed.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
    for (const route of routes) if (isSigned(route)) addRoute(signed, services, route)
  })
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
    bodyLimit: bodyLimitOf(route),
    config: { policy: route.policy, isPage: isPage(route) },
    ...(route.streams && { handlerTimeout: LIST_LIMITS.answerMs }),
    onRequest: async (request, reply) => {
      if (route.policy === 'public') await admitPublic(services, route, request, reply)
      else {
        request.principal = await admit(services, route, request, reply)
        await receiveInTurn(services.requests, route, request, reply)
        // For those who have a credential: the command line explains by it what an older server does not know.
        reply.header('tidemark-version', manifest.version)
      }
    },
    handler: async (request, reply) => {
      const handled = { route, principal: request.principal, response: reply.raw }
      // Fastify's reply is a promise of the end of the answer, for which no turn waits.
      await inTurn(services.requests, handled, async (turn) => {
        const answer = await answerOf(services, route, request, reply)
        if (request.trace && request.method === 'POST' && isRunStarted(answer.body))
          request.trace.startedRun(answer.body.run_id)
        await send(services, answer, { request, reply, turn })
      })
      return reply
    },
  })
}

/** Gives an answer to the connection. */
async function send(services: Services, answer: Answer, { request, reply, turn }: Answering): Promise<void> {
  const { status, headers, text, picture, stream, events, body } = answer
  const bytes = picture ? await readPicture(services.requests, request, reply, picture) : answer.bytes
  if (headers) reply.headers(headers)
  if (events) {
    // It has no end that Fastify could wait for, or be late with.
    reply.hijack()
    const lasts = request.method === 'GET' && /\btext\/event-stream\b/.test(request.headers.accept ?? '')
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value)
    return events(beginEventStream(reply.raw, services.events.waitingBytes), lasts)
  }
  reply.code(status)
  if (text) return sendText(services.requests, request, reply, { ...text, turn })
  if (bytes) return void reply.type(bytes.type).send(bufferOf(bytes.content))
  if (stream) return void reply.type(`${stream.type}; charset=utf-8`).send(timedStream(stream.content))
  if (body === undefined) return void reply.send()
  const content = JSON.stringify(body)
  await sendText(services.requests, request, reply, { type: 'application/json', content, turn })
}

/** Returns the same bytes. A copy of a picture would take as much memory again. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)

function answerOf(services: Services, route: Route, request: FastifyRequest, reply: FastifyReply): Promise<Answer> {
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
    left: request.signal,
    log: request.log,
  }
  if (route.policy === 'public') return route.handle(call)
  if (!request.principal) throw new Error('a route with a policy was reached without a principal')
  const admitted = { ...call, principal: request.principal, actor: actorOf(request.principal, address) }
  if ('work' in route && route.work) return atWork(route, route.work, admitted, reply.raw)
  const key = request.headers['idempotency-key']
  return route.takesKey && key !== undefined ? answerOnce(route, key, admitted) : route.handle(admitted)
}

/** Types that somebody opens in a browser. */
const OPENED: ReadonlySet<string> = new Set(['text/html', 'application/rss+xml'])

const isPage = ({ answers }: Route) =>
  answers[302] !== undefined || Object.values(answers).some(({ only }) => only !== undefined && OPENED.has(only))

const isRunStarted = (body: unknown): body is { readonly run_id: string } =>
  typeof body === 'object' && body !== null && 'run_id' in body && typeof body.run_id === 'string'

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
