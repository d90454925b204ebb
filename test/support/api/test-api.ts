import type { FastifyInstance, InjectOptions } from 'fastify'
import { sql } from 'slonik'
import { buildApp } from '../../../api/http/app.ts'
import type { Route } from '../../../api/http/route.ts'
import { createServices, type Services, type ServicesOptions } from '../../../api/services.ts'
import { createLogger } from '../../../core/logger.ts'
import { createChannels } from '../../../deliveries/channels/channels.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { createResolver } from '../../../egress/resolve.ts'
import type { Scope } from '../../../schema/account/api-key.ts'
import type { Tier } from '../../../schema/account/plan.ts'
import type { Role } from '../../../schema/account/role.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { insertApiKey } from '../../../store/accounts/credentials/api-keys.ts'
import { newSessionToken, signSessionToken } from '../../../store/accounts/credentials/session-token.ts'
import { openSession } from '../../../store/accounts/credentials/sessions.ts'
import { openStore } from '../../../store/db/client.ts'
import { nothing } from '../../../store/db/row.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import { createTestDatabase } from '../database/test-database.ts'
import { createTestOwner } from '../database/test-owner.ts'
import { runOn } from '../database/test-template.ts'
import { servedRoutes } from './all-routes.ts'

export const ENCRYPTION_KEY = 'a key of the tests, which is long enough'

/** An API on a database of its own, without a port; `listen` gives it one. */
export interface TestApi {
  readonly app: FastifyInstance
  readonly services: Services
  readonly databaseUrl: string
  /** Another account with a team of its own, by default on the largest plan. */
  owner(options?: { plan?: Tier; serp?: boolean }): Promise<CreatedOwner>
  /** A credential of someone else in the owner's team. */
  member(owner: CreatedOwner, role: Exclude<Role, 'owner'>): Promise<string>
  /** A key with just these scopes. */
  key(owner: CreatedOwner, ...scopes: Scope[]): Promise<string>
  call(credential: string | null, method: string, url: string, body?: unknown): Promise<TestAnswer>
  /** Runs one statement on the database, as its superuser. */
  sql(statement: string): Promise<void>
  listen(): Promise<string>
  close(): Promise<void>
}

interface TestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** The body, parsed; undefined when it is empty. */
  // Tests look into it at will.
  readonly body: Readonly<Record<string, never>> & { readonly error: TestError }
}
export interface TestError {
  readonly code: string
  readonly message: string
  readonly details: readonly { readonly path: string; readonly message: string }[]
  readonly requestId: string
}

/** Starts an API. `close` it in `afterAll`. */
export async function createTestApi(
  overrides: Partial<ServicesOptions> = {},
  table: readonly Route[] = servedRoutes,
): Promise<TestApi> {
  const database = await createTestDatabase()
  const store = await openStore({ url: database.url, name: 'tidemark test', connections: 5 })
  const egress = overrides.egress ?? createPolicy({ allowPrivateCidrs: [], neverAllow: [] })
  const agent = createGuardedAgent(egress, { resolver: NOWHERE })
  const dashboardUrl = 'http://127.0.0.1:8080'
  const services = createServices({
    store,
    databaseUrl: database.url,
    encryptionKey: ENCRYPTION_KEY,
    sessionKey: 'the key of the sessions of the tests',
    secrets: createSecretBox(ENCRYPTION_KEY),
    egress,
    channels: createChannels({ agent, mailer: null, dashboardUrl }),
    baseUrl: 'http://127.0.0.1:8080',
    dashboardUrl,
    signUp: 'invite',
    signUpPlan: 'free',
    rateLimit: 0,
    invitationMailsPerHour: 500,
    trustedProxies: [],
    connectionsPerAddress: 0,
    // A busy machine is waited for.
    signInWaits: { connectMs: 45_000, answerMs: 45_000 },
    health: { ready: async () => ({ ok: true, checks: { store: 'ok' } }), metrics: async () => '# none\n' },
    metricsHere: true,
    log: createLogger('silent'),
    wake: () => {},
    ...overrides,
  })
  const app = buildApp(services, table)
  let count = 0
  return {
    app,
    services,
    databaseUrl: database.url,
    owner: async ({ plan = 'scale', serp = true } = {}) => {
      count += 1
      return createTestOwner(store, {
        email: `owner${count}@example.com`,
        plan,
        serp,
        sessionKey: services.sessionKey,
      })
    },
    member: (owner, role) => addMember(services, owner, role),
    key: (owner, ...scopes) => addKey(services, owner, scopes),
    call: (credential, method, url, body) => call(app, { credential, method, url, body }),
    sql: (statement) => runOn(database.url, statement),
    listen: () => app.listen({ host: '127.0.0.1', port: 0 }),
    close: async () => {
      await app.close()
      await services.close()
      await agent.destroy()
      await store.end()
      await database.drop()
    },
  }
}

/** Tests ask no name servers. */
const NOWHERE = createResolver({
  lookup: async () => {
    throw Object.assign(new Error('there is no such name'), { code: 'ENOTFOUND' })
  },
})

async function addMember({ store, sessionKey: key }: Services, owner: CreatedOwner, role: Role): Promise<string> {
  const { user_id: userId } = await createTestOwner(store, {
    email: `${role}-${crypto.randomUUID()}@example.com`,
    plan: 'free',
    serp: false,
    sessionKey: key,
  })
  const token = newSessionToken()
  await openSession(store, userId, token)
  await store.query(sql.type(nothing)`
    insert into team_members (team_id, user_id, role) values (${owner.team_id}, ${userId}, ${role})`)
  await store.query(
    sql.type(nothing)`update auth.sessions set active_team_id = ${owner.team_id} where token = ${token}`,
  )
  return signSessionToken(token, key)
}

async function addKey({ store }: Services, owner: CreatedOwner, scopes: readonly Scope[]): Promise<string> {
  const made = await insertApiKey(store, {
    teamId: owner.team_id,
    userId: owner.user_id,
    name: 'Test key',
    scopes,
    expiresAt: null,
  })
  if (!made) throw new Error('no key was made')
  return made.key
}

interface TestCall {
  readonly credential: string | null
  readonly method: string
  readonly url: string
  readonly body: unknown
}

async function call(app: FastifyInstance, { credential, method, url, body }: TestCall): Promise<TestAnswer> {
  const options: InjectOptions = {
    method: method as NonNullable<InjectOptions['method']>,
    url,
    headers: {
      ...(credential !== null && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  }
  const { statusCode, headers, payload } = await app.inject(options)
  const isJson = /json/.test(String(headers['content-type']))
  return { status: statusCode, headers, body: payload !== '' && isJson ? JSON.parse(payload) : undefined }
}
