import type { FastifyInstance, FastifyRequest } from 'fastify'
import { checkerOf } from '../../schema/validation/validate.ts'
import { admit, admitPublic } from '../auth/admit.ts'
import { clientAddress } from './client-address.ts'
import { actorOf, type Principal } from '../auth/principal.ts'
import { readRequest } from './read-request.ts'
import type { Answer, PublicCall, Route } from './route.ts'
import type { Services } from '../services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the caller was admitted; null on public routes. */
    principal: Principal | null
  }
  interface FastifyContextConfig {
    /** Every route has one; registering a route without it fails. */
    policy?: Route['policy']
  }
}

/**
 * Registers a route of the table: credentials and policy before the body is read, then the validation, then the
 * handler.
 */
export function addRoute(app: FastifyInstance, services: Services, route: Route): void {
  for (const schema of [route.params, route.query, route.body]) if (schema) checkerOf(schema)
  app.route({
    method: route.method,
    url: route.path,
    config: { policy: route.policy },
    onRequest: async (request, reply) => {
      if (route.policy === 'public') await admitPublic(services, route, request, reply)
      else request.principal = await admit(services, route, request, reply)
    },
    handler: async (request, reply) => {
      const answer = await answerOf(services, route, request)
      if (answer.headers) reply.headers(answer.headers)
      reply.code(answer.status)
      if (answer.text) return reply.type(`${answer.text.type}; charset=utf-8`).send(answer.text.content)
      if (answer.bytes) return reply.type(answer.bytes.type).send(Buffer.from(answer.bytes.content))
      if (answer.body === undefined) return reply.send()
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.body))
    },
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
  return route.handle({ ...call, principal: request.principal, actor: actorOf(request.principal, address) })
}
