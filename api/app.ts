import { randomUUID } from 'node:crypto'
import { fastify, type FastifyInstance } from 'fastify'
import { addRoute } from './add-route.ts'
import { ApiError, apiError, envelope } from './api-error.ts'
import type { Route } from './route.ts'
import type { Services } from './services.ts'

/** The version of the interface (spec, Versioning): on every answer and in every delivery. */
export const SERVICE_VERSION = '2026-05-01'

/** The API over the services; nothing listens yet. */
export function buildApp(services: Services, routes: readonly Route[]): FastifyInstance {
  const app = fastify({
    loggerInstance: services.log,
    disableRequestLogging: true,
    genReqId: () => randomUUID(),
    bodyLimit: 1_048_576,
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    routerOptions: { maxParamLength: 200 },
  })
  app.decorateRequest('principal', null)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'service-version': SERVICE_VERSION, 'x-request-id': request.id, 'cache-control': 'no-store' })
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    try {
      done(null, JSON.parse(String(body)))
    } catch {
      done(apiError('VALIDATION_ERROR', 'The body is not JSON.', [{ path: '', message: 'must be JSON' }]))
    }
  })
  app.setErrorHandler((error, request, reply) => {
    const known = error instanceof ApiError ? error : apiError('INTERNAL_ERROR', 'A fault of the service.')
    if (known !== error) request.log.error({ err: error }, 'a request failed')
    return reply
      .code(known.status)
      .headers({ ...known.headers })
      .send(envelope(known, request.id))
  })
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send(envelope(apiError('NOT_FOUND', 'There is nothing at this address.'), request.id)),
  )
  for (const route of routes) addRoute(app, services, route)
  return app
}
