import type { FastifyInstance } from 'fastify'
import { type Health, mayReadMetrics, METRICS_TYPE, type MetricsToken } from '../../core/health.ts'
import { apiError } from './api-error.ts'

/** How `/metrics` is served. */
interface Metrics {
  /** False: it has its own port, or none. */
  readonly isHere: boolean
  readonly token: MetricsToken
}

/**
 * Adds `/healthz` and `/readyz`, and `/metrics` when it does not have its own port. They need no credentials and have
 * no limits: probes come often and have no key.
 */
export function addHealthRoutes(app: FastifyInstance, health: Health, metrics: Metrics): void {
  const config = { policy: 'public' } as const
  app.get('/healthz', { config }, async () => ({ status: 'ok' }))
  app.get('/readyz', { config }, async (_request, reply) => {
    const { ok, checks } = await health.ready()
    return reply.code(ok ? 200 : 503).send({ status: ok ? 'ok' : 'unavailable', checks })
  })
  if (metrics.isHere) addMetricsRoute(app, health, metrics.token)
}

function addMetricsRoute(app: FastifyInstance, health: Health, token: MetricsToken): void {
  app.get('/metrics', { config: { policy: 'public' } }, async (request, reply) => {
    if (!mayReadMetrics(token(), request.headers.authorization))
      throw apiError('UNAUTHORIZED', 'Send TIDEMARK_METRICS_TOKEN of this installation as Authorization: Bearer ….')
    return reply.type(METRICS_TYPE).send(await health.metrics())
  })
}
