import type { FastifyInstance } from 'fastify'
import { apiError } from './api-error.ts'
import { refusal } from './authorize.ts'
import { actorOf, type Principal } from './principal.ts'
import { readRequest } from './read-request.ts'
import type { Answer, Route } from './route.ts'
import type { Services } from './services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the credentials were looked at, and on public routes. */
    principal: Principal | null
  }
  interface FastifyContextConfig {
    /** Every route has one; registering one without it fails (DESIGN §6, security A5). */
    policy?: Route['policy']
  }
}

/** Registers a route of the table: credentials and policy before the body is read, then the checks, then the handler. */
export function addRoute(app: FastifyInstance, services: Services, route: Route): void {
  app.route({
    method: route.method,
    url: route.path,
    config: { policy: route.policy },
    onRequest: async (request) => {
      if (route.policy === 'public') return
      const principal = await services.authenticate(request.headers)
      if (!principal) throw apiError('UNAUTHORIZED', 'The credentials are missing or not valid.')
      request.principal = principal
      const refused = refusal(route.policy, principal)
      if (refused) throw refused
    },
    handler: async (request, reply) => {
      const parts = readRequest(route, { params: request.params, query: request.query as never, body: request.body })
      const call = { ...parts, services, requestId: request.id, log: request.log }
      const answer = route.policy === 'public' ? await route.handle(call) : await handleFor(route, call, request)
      if (answer.headers) reply.headers(answer.headers)
      reply.code(answer.status)
      // A body that is undefined would otherwise leave the reply waiting.
      return answer.body === undefined
        ? reply.send()
        : reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.body))
    },
  })
}

async function handleFor(
  route: Exclude<Route, { policy: 'public' }>,
  call: Parameters<Extract<Route, { policy: 'public' }>['handle']>[0],
  request: { readonly principal: Principal | null; readonly ip: string },
): Promise<Answer> {
  if (!request.principal) throw new Error('a route with a policy was reached without a principal')
  return route.handle({ ...call, principal: request.principal, actor: actorOf(request.principal, request.ip) })
}
