import type { BetterAuthPlugin } from 'better-auth'
import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { Slots } from '../../concurrency/gates/slots.ts'
import type { Tier } from '../../schema/account/plan.ts'
import { claimAddress, confirmAddress } from '../../store/accounts/account-links.ts'
import { addressOf } from '../../store/accounts/accounts.ts'
import { isInvited } from '../../store/accounts/team/invitations.ts'
import { ensureTeam } from '../../store/accounts/team/teams.ts'
import type { Store } from '../../store/db/client.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { ApiError } from '../http/api-error.ts'
import { oidcGate, type OidcProvider, oidcPlugin } from './oidc.ts'
import { addressBlock } from './rate-limits.ts'
import {
  CLIENT_ADDRESS_HEADER,
  INVITED_HEADER,
  PASSWORD_HEADER,
  signInOptions,
  type SignInSettings,
} from './sign-in-options.ts'

/** The sign-in library, served at /auth. */
export interface SignIn {
  /** Handles a request below /auth. Throws the errors of the library. */
  handle(request: Request): Promise<Response>
  /** The same, of sign-in by OpenID Connect. Null: there is no provider. */
  readonly handleOidc: ((request: Request) => Promise<Response>) | null
  /** Takes work that no answer waits for. `close` waits for it. It must not reject. */
  unseen(work: Promise<unknown>): void
  close(): Promise<void>
}

interface SignInOptions extends SignInSettings {
  readonly databaseUrl: string
  readonly store: Store
  /** Plan of an account that signs up. */
  readonly plan: Tier
  readonly signUp: 'invite' | 'open'
  /** Null: people sign in with passwords only. */
  readonly oidc: OidcProvider | null
  readonly log: FastifyBaseLogger
  readonly waits?: SignInWaits | undefined
}

/** For how many milliseconds the library waits for the store. */
export interface SignInWaits {
  readonly connectMs: number
  readonly answerMs: number
}

/** A client gets its response within 5 s, also while the store is away. */
const WAITS: SignInWaits = { connectMs: 4_000, answerMs: 5_000 }

const CONNECTIONS = 4
/** Operations of one address that are under way at once. */
const PER_ADDRESS = 2
const TURN_MS = 10_000
const LONGEST_MESSAGE = 300

/** Opens the sign-in library on its own connections. Its tables are in the schema auth. */
export function createSignIn(options: SignInOptions): SignIn {
  const { log, waits = WAITS } = options
  const pool = new pg.Pool({
    connectionString: inSchemaAuth(options.databaseUrl),
    max: CONNECTIONS,
    connectionTimeoutMillis: waits.connectMs,
    query_timeout: waits.answerMs,
  })
  // A connection that dies while idle is replaced by the next query.
  pool.on('error', (error) => {
    if (storeOutage(log).covers(error, 'connections of the sign-in')) return
    log.warn({ err: error }, 'a database connection of the sign-in was lost')
  })
  // While the library uses a connection the pool does not listen to it; the query under way is rejected too.
  pool.on('connect', (client) => void client.on('error', () => {}))
  let opening: ReturnType<typeof open> | undefined
  // Apart from the other one, which must not wait for a provider that does not answer.
  let openingOidc: ReturnType<typeof open> | undefined
  const { oidc } = options
  const unseen = new Set<Promise<unknown>>()
  const turns = new Slots({ total: CONNECTIONS - 1, perTeam: PER_ADDRESS })
  return {
    handle: async (request) => {
      const leave = await turnOf(turns, request)
      try {
        return await (await (opening ??= open(options, pool, []))).handler(request)
      } finally {
        leave()
      }
    },
    handleOidc: oidc && (async (request) => (await (openingOidc ??= openOidc(oidc, options, pool))).handler(request)),
    unseen(work) {
      unseen.add(work)
      void work.finally(() => unseen.delete(work))
    },
    async close() {
      await Promise.all(unseen)
      await pool.end()
    },
  }
}

/**
 * Waits for the turn of an operation that may hash a password, and returns what ends it. The library keeps a connection
 * while it hashes, so that a few sign-ups of one address would keep all of them. Addresses take turns, and reading a
 * session waits for nobody.
 */
async function turnOf(turns: Slots, { method, headers }: Request): Promise<() => void> {
  if (method === 'GET' && !headers.has(PASSWORD_HEADER)) return () => {}
  const leave = await turns.take(addressBlock(headers.get(CLIENT_ADDRESS_HEADER)), { waitMs: TURN_MS })
  if (typeof leave === 'function') return leave
  throw new ApiError('RATE_LIMIT_EXCEEDED', 'Too many sign-ins are under way. Try again in a moment.', {
    headers: { 'retry-after': '2' },
  })
}

/** Loads the library: with the first request, because it takes 20 MB that an API without sign-ins does not need. */
async function open(options: SignInOptions, pool: pg.Pool, plugins: readonly BetterAuthPlugin[]) {
  const { log } = options
  const [{ betterAuth }, settings] = await Promise.all([import('better-auth'), signInOptions(options)])
  return betterAuth({
    ...settings,
    plugins: [...settings.plugins, ...plugins],
    user: {
      ...settings.user,
      validateUserInfo: oidcGate(
        options.signUp === 'open' ? null : (token, email) => isInvited(options.store, token, email),
        (userId) => claimAddress(options.store, userId),
      ),
    },
    emailAndPassword: {
      ...settings.emailAndPassword,
      // The token came by mail, or from a person who runs the installation.
      onPasswordReset: async ({ user }) => confirmAddress(options.store, user.id),
    },
    ...(settings.emailVerification && {
      emailVerification: {
        ...settings.emailVerification,
        beforeEmailVerification: (user, request) => provePassword(pool, user.id, request),
      },
    }),
    database: pool,
    logger: {
      level: 'warn',
      log(level, message, ...rest) {
        const err = rest.find((item) => item instanceof Error)
        // Some messages repeat an Origin or another header as it was sent.
        if (!storeOutage(log).covers(err, 'sign-ins')) log[level]({ err }, message.slice(0, LONGEST_MESSAGE))
      },
    },
    databaseHooks: {
      // The team cannot be part of the library's transaction, so two hooks create it. Either one is enough: when a
      // process dies in between, the next sign-in of the account creates its team.
      user: {
        create: {
          // The token of an invitation came by mail too.
          before: async (user, context) =>
            context?.headers?.get(INVITED_HEADER) === 'yes' ? { data: { ...user, emailVerified: true } } : undefined,
          after: (user) => giveTeam(options, user),
        },
      },
      session: { create: { before: (session) => giveTeamTo(options, session.userId) } },
      // Nothing is done with a provider's tokens, so they are not kept.
      account: { create: { before: async (account) => ({ data: { ...account, ...NO_TOKENS } }) } },
    },
  })
}

/**
 * Refuses to confirm the address of an account to a person who does not know its password. Otherwise somebody could
 * sign up with another person's address, wait until that person follows the link of the mail, and sign in to the
 * account.
 */
async function provePassword(pool: pg.Pool, userId: string, request: Request | undefined): Promise<void> {
  const { rows } = await pool.query<{ password: string | null }>(
    `select password from accounts where user_id = $1 and provider_id = 'credential'`,
    [userId],
  )
  const hash = rows[0]?.password
  if (typeof hash !== 'string') return
  const given = Buffer.from(request?.headers.get(PASSWORD_HEADER) ?? '', 'base64url').toString()
  const [{ verifyPassword }, { APIError }] = await Promise.all([
    import('better-auth/crypto'),
    import('better-auth/api'),
  ])
  if (!(await verifyPassword({ hash, password: given })))
    throw new APIError('FORBIDDEN', { message: 'The password is not the one that the account was made with.' })
}

const NO_TOKENS = { accessToken: null, refreshToken: null, idToken: null }

/** Loads the library with the provider. Its addresses are looked up then, or with a later request. */
async function openOidc(oidc: OidcProvider, options: SignInOptions, pool: pg.Pool) {
  return open(options, pool, [await oidcPlugin(oidc)])
}

async function giveTeam(
  { store, plan }: SignInOptions,
  user: { readonly id: string; readonly email: string },
): Promise<void> {
  await store.transaction((tx) => ensureTeam(tx, { ownerId: user.id, ownerEmail: user.email, plan, serp: false }))
}

/**
 * The library may hold one of its connections here, in the transaction of a sign-up. So the address is read by the
 * store: as many sign-ups as there are connections would all wait for one more.
 */
async function giveTeamTo(options: SignInOptions, userId: string): Promise<void> {
  const email = await addressOf(options.store, userId)
  if (email !== null) await giveTeam(options, { id: userId, email })
}

function inSchemaAuth(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  const given = url.searchParams.get('options')
  url.searchParams.set('options', `${given === null ? '' : `${given} `}-c search_path=auth`)
  url.searchParams.set('application_name', 'tidemark sign-in')
  return url.href
}
