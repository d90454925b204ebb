import { randomBytes } from 'node:crypto'
import { sql, UniqueIntegrityConstraintViolationError } from 'slonik'
import Type from 'typebox'
import type { Scope } from '../../schema/account/api-key.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import { OWNER_PLAN, type Tier } from '../../schema/account/plan.ts'
import type { Store, Transaction } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { recordAudit } from './audit.ts'
import { insertApiKey, type IssuedApiKey } from './credentials/api-keys.ts'
import { newSessionToken, signSessionToken } from './credentials/session-token.ts'
import { openSession } from './credentials/sessions.ts'
import { ensureTeam, hasNoTeam } from './team/teams.ts'

const user = row({ id: Type.String() })
const owner = row({ team_id: Type.String(), user_id: Type.String() })

/** An account that the installation's administrator creates. */
interface NewOwner {
  readonly email: string
  /** Default: a random password, which is returned. */
  readonly password?: string
  readonly plan: Tier
  readonly serp: boolean
  /** The key of `ensureSessionKey`. */
  readonly sessionKey: string
}

/** The data that the owner needs. It is shown once: none of the three secrets can be read again. */
export interface CreatedOwner {
  readonly user_id: string
  readonly team_id: string
  readonly email: string
  readonly password: string
  readonly api_key: string
  readonly session_token: string
}

/** The result of creating an account. */
type OwnerOutcome =
  | { readonly ok: true; readonly owner: CreatedOwner }
  | { readonly ok: false; readonly reason: 'email_taken' }

// The sign-in library is large, and most processes create no account.
export const hashPassword = async (password: string): Promise<string> =>
  (await import('better-auth/crypto')).hashPassword(password)

/**
 * Creates an account with its own team, an API key with all scopes, and an open session (`tidemark admin
 * create-owner`). A hash takes 0.1 s of processor time on purpose; tests that make many accounts bring `hashOf`.
 */
export async function createOwner(store: Store, wanted: NewOwner, hashOf = hashPassword): Promise<OwnerOutcome> {
  const password = wanted.password ?? randomBytes(15).toString('base64url')
  const hash = await hashOf(password)
  try {
    return { ok: true, owner: await store.transaction((tx) => insertOwner(tx, { ...wanted, password, hash })) }
  } catch (error) {
    if (error instanceof UniqueIntegrityConstraintViolationError) return { ok: false, reason: 'email_taken' }
    throw error
  }
}

/**
 * Creates the first owner of a new installation, on the plan without limits. Returns null when the installation has an
 * owner. Programs that start at the same time create only one.
 */
export async function ensureFirstOwner(store: Store, email: string, key: string): Promise<CreatedOwner | null> {
  if (!(await hasNoTeam(store))) return null
  const password = randomBytes(15).toString('base64url')
  const hash = await hashPassword(password)
  return store.transaction(async (tx) => {
    await tx.query(sql.type(nothing)`select pg_advisory_xact_lock(hashtext('tidemark.first_owner'))`)
    if (!(await hasNoTeam(tx))) return null
    return insertOwner(tx, { email, password, hash, plan: OWNER_PLAN, serp: true, sessionKey: key })
  })
}

/** Returns whether an account has this address. */
export const hasAccount = (store: Store, email: string): Promise<boolean> =>
  store.exists(sql.type(user)`select id from auth.users where email = ${email.toLowerCase()}`)

const address = row({ email: Type.String() })

/** Returns the address of an account; null when there is no account with this id. */
export const addressOf = (store: Store, userId: string): Promise<string | null> =>
  store.maybeOneFirst(sql.type(address)`select email from auth.users where id = ${userId}::uuid`)

const person = row({ name: Type.String(), has_password: Type.Boolean() })

/** Returns the name of the person whose account it is, and whether they can sign in with a password. */
export const personOf = (
  store: Store,
  userId: string,
): Promise<{ readonly name: string; readonly has_password: boolean }> =>
  store.one(sql.type(person)`
    select u.name, exists (
      select from auth.accounts a
      where a.user_id = u.id and a.provider_id = 'credential' and a.password is not null
    ) as has_password
    from auth.users u where u.id = ${userId}::uuid`)

/** Returns the id of the team that an account owns; null when there is no such account. */
export const ownedTeam = (store: Store, email: string): Promise<string | null> =>
  store.maybeOneFirst(sql.type(user)`
    select t.id from auth.users u join teams t on t.owner_user_id = u.id where u.email = ${email.toLowerCase()}`)

/**
 * Creates an API key for scripts (`tidemark admin create-key`), in the name of the account. Returns null when there is
 * no such account.
 */
export function createKeyFor(
  store: Store,
  ownerEmail: string,
  name: string,
  scopes: readonly Scope[],
): Promise<IssuedApiKey | null> {
  return store.transaction(async (tx) => {
    const found = await tx.maybeOne(sql.type(owner)`
      select t.id as team_id, u.id as user_id
      from auth.users u join teams t on t.owner_user_id = u.id
      where u.email = ${ownerEmail.toLowerCase()}`)
    return found && issueBySystem(tx, { teamId: found.team_id, userId: found.user_id, name, scopes })
  })
}

async function insertOwner(
  tx: Transaction,
  wanted: NewOwner & { readonly password: string; readonly hash: string },
): Promise<CreatedOwner> {
  const email = wanted.email.toLowerCase()
  const { id: userId } = await tx.one(sql.type(user)`
    insert into auth.users (name, email, email_verified) values (${email.split('@')[0] ?? email}, ${email}, true)
      returning id`)
  await tx.query(sql.type(nothing)`
    insert into auth.accounts (user_id, account_id, provider_id, password)
      values (${userId}, ${userId}, 'credential', ${wanted.hash})`)
  const teamId = await ensureTeam(tx, { ownerId: userId, ownerEmail: email, plan: wanted.plan, serp: wanted.serp })
  const { key } = await issueBySystem(tx, { teamId, userId, name: 'First key', scopes: ['read', 'write'] })
  const token = newSessionToken()
  await openSession(tx, userId, token)
  const session = signSessionToken(token, wanted.sessionKey)
  return { user_id: userId, team_id: teamId, email, password: wanted.password, api_key: key, session_token: session }
}

async function issueBySystem(
  tx: Transaction,
  wanted: {
    readonly teamId: string
    readonly userId: string
    readonly name: string
    readonly scopes: readonly Scope[]
  },
): Promise<IssuedApiKey> {
  const issued = await insertApiKey(tx, { ...wanted, expiresAt: null })
  if (!issued) throw new Error('a key without an expiry was refused')
  await recordAudit(tx, {
    teamId: wanted.teamId,
    actor: SYSTEM,
    action: 'api_key.created',
    target: { id: issued.id, label: issued.prefix },
    metadata: { name: issued.name, scopes: [...issued.scopes] },
  })
  return issued
}
