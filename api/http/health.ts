import type { FastifyInstance } from 'fastify'
import { type Health, METRICS_TYPE } from '../../core/health.ts'

/**
 * `/healthz` and `/readyz`, and `/metrics` where it has no port of its own. Neither credentials nor limits: probes come
 * often and know nothing.
 */
export function addHealthRoutes(app: FastifyInstance, health: Health, metrics: boolean): void {
  const config = { policy: 'public' } as const
  app.get('/healthz', { config }, async () => ({ status: 'ok' }))
  app.get('/readyz', { config }, async (_request, reply) => {
    const { ok, checks } = await health.ready()
    return reply.code(ok ? 200 : 503).send({ status: ok ? 'ok' : 'unavailable', checks })
  })
  if (metrics) addMetricsRoute(app, health)
}

function addMetricsRoute(app: FastifyInstance, health: Health): void {
  app.get('/metrics', { config: { policy: 'public' } }, async (_request, reply) =>
    reply.type(METRICS_TYPE).send(await health.metrics()),
  )
}
