import type { FastifyInstance } from 'fastify'
import type { Tracer } from '../../core/tracer.ts'

/** Gives each request its place in a trace, and gives it back as `traceparent`. */
export function addTraces(app: FastifyInstance, tracer: Tracer): void {
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
