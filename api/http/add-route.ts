import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import manifest from '../../package.json' with { type: 'json' }
import { checkerOf } from '../../schema/validation/validate.ts'
import { admit, admitPublic } from '../auth/admit.ts'
import { actorOf } from '../auth/principals.ts'
import { clientAddress } from '../auth/rate-limits.ts'
import type { Services } from '../services.ts'
import { answerOnce } from './answer-once.ts'
import { readRequest } from './read-request.ts'
import type { Answer, PublicCall, Route } from './route.ts'

/**
 * Registers a route of the table: credentials and policy before the body is read, then the validation, then the
 * handler.
 */
export function addRoute(app: FastifyInstance, services: Services, route: Route): void {
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

const isPage = ({ answers }: Route) =>
  answers[302] !== undefined || Object.values(answers).some(({ only }) => only === 'text/html')

const isRunStarted = (body: unknown): body is { readonly run_id: string } =>
  typeof body === 'object' && body !== null && 'run_id' in body && typeof body.run_id === 'string'
