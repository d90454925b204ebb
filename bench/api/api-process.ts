import { fastify } from 'fastify'
import { buildApp } from '../../api/http/app.ts'
import { routesOf } from '../../api/routes.ts'
import { createServices } from '../../api/services.ts'
import { SERVED_KINDS } from '../../boot/kinds.ts'
import { openApiStore } from '../../boot/parts/api-store.ts'
import { createLogger } from '../../core/logger.ts'
import { createPolicy } from '../../egress/policy.ts'
import { insertApiKey } from '../../store/accounts/credentials/api-keys.ts'
import type { Store } from '../../store/db/client.ts'
import { PAGE_TABLE } from '../../store/monitors/kinds/page-table.ts'
import { countMonitors, findMonitor, listMonitors } from '../../store/monitors/monitors.ts'
import { countRuns, findRun, listRuns } from '../../store/runs/runs.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { answerParent } from '../support/child.ts'
import { TEAM } from '../support/monitors.ts'
import { ENCRYPTION_KEY } from '../support/worker-process.ts'

/** Opens both servers on one database. The answer contains their addresses, and a key for the API. */
export interface ApiQuestion {
  readonly databaseUrl: string
}

export interface ApiAnswer {
  readonly ours: string
  readonly bare: string
  readonly key: string
}

const FIRST_PAGE = { limit: 20, offset: 0 }

/**
 * The API as `tidemark api` builds it. Beside it, in the same process and with the same pool, there is a bare Fastify.
 * Its routes run the same statements and return the rows: without credentials, limits, validation, headers, or secrets
 * to decrypt.
 */
answerParent(async ({ databaseUrl }: ApiQuestion): Promise<ApiAnswer> => {
  const store = await openApiStore(databaseUrl)
  const services = createServices({
    store,
    databaseUrl,
    encryptionKey: ENCRYPTION_KEY,
    sessionKey: ENCRYPTION_KEY,
    secrets: createSecretBox(ENCRYPTION_KEY),
    egress: createPolicy({ allowPrivateCidrs: [], neverAllow: [] }),
    baseUrl: 'http://127.0.0.1:8080',
    dashboardUrl: 'http://127.0.0.1:8080',
    signUp: 'invite',
    signUpPlan: 'free',
    // The limit is counted as always, but never reached.
    rateLimit: 1_000_000_000,
    invitationMailsPerHour: 0,
    trustedProxies: [],
    connectionsPerAddress: 0,
    health: { ready: async () => ({ ok: true, checks: {} }), metrics: async () => '' },
    metricsHere: true,
    log: createLogger('warn'),
    wake: () => undefined,
  })
  const listen = { host: '127.0.0.1', port: 0 }
  const ours = await buildApp(services, routesOf(SERVED_KINDS)).listen(listen)
  const bare = await bareApp(store).listen(listen)
  const key = await insertApiKey(store, {
    teamId: TEAM,
    userId: TEAM,
    name: 'bench',
    scopes: ['read'],
    expiresAt: null,
  })
  if (key === null) throw new Error('no key was made')
  return { ours, bare, key: key.key }
})

function bareApp(store: Store) {
  const app = fastify()
  type ById = { Params: { id: string } }
  app.get('/v1/monitors', async () => ({
    data: await listMonitors(store, PAGE_TABLE, { teamId: TEAM, ...FIRST_PAGE }),
    total: await countMonitors(store, PAGE_TABLE, { teamId: TEAM }),
  }))
  app.get<ById>('/v1/monitors/:id', ({ params }) => findMonitor(store, TEAM, params.id, PAGE_TABLE))
  app.get<ById>('/v1/monitors/:id/runs', async ({ params }) => ({
    data: await listRuns(store, { kind: 'page', teamId: TEAM, monitorId: params.id, ...FIRST_PAGE }),
    total: await countRuns(store, TEAM, params.id, 'page'),
  }))
  app.get<ById>('/v1/runs/:id', ({ params }) => findRun(store, TEAM, params.id))
  return app
}
