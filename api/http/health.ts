import { fastify, type FastifyInstance } from 'fastify'

/** How the process is, told by the command that runs it. */
export interface Health {
  /** Whether it can serve: store reachable and migrated, scheduler moving. Each check says `ok` or what is wrong. Answers within seconds. */
  ready(): Promise<{ readonly ok: boolean; readonly checks: Readonly<Record<string, string>> }>
  /** In the text format of Prometheus. */
  metrics(): Promise<string>
}

/** `/healthz` and `/readyz`, and `/metrics` where it has no port of its own. Neither credentials nor limits: probes come often and know nothing. */
export function addHealthRoutes(app: FastifyInstance, health: Health, metrics: boolean): void {
  const config = { policy: 'public' } as const
  app.get('/healthz', { config }, async () => ({ status: 'ok' }))
  app.get('/readyz', { config }, async (_request, reply) => {
    const { ok, checks } = await health.ready()
    return reply.code(ok ? 200 : 503).send({ status: ok ? 'ok' : 'unavailable', checks })
  })
  if (metrics) addMetricsRoute(app, health)
}

/** The app for a metrics port of its own, which tells health too: a worker has no other. Nothing listens yet. */
export function buildMetricsApp(health: Health): FastifyInstance {
  const app = fastify({ requestTimeout: 10_000, connectionTimeout: 30_000 })
  addHealthRoutes(app, health, true)
  return app
}

function addMetricsRoute(app: FastifyInstance, health: Health): void {
  app.get('/metrics', { config: { policy: 'public' } }, async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await health.metrics()),
  )
}
