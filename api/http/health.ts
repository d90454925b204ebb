import type { FastifyInstance } from 'fastify'
import { type Health, METRICS_TYPE } from '../../core/health.ts'

/**
 * Adds `/healthz` and `/readyz`, and `/metrics` when it has no port of its own. They need no credentials and have no
 * limits: probes come often and have no key.
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
