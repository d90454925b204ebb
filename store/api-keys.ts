import { sql } from 'slonik'
import Type from 'typebox'
import type { ApiKey, Scope } from '../schema/api-key.ts'
import { apiKeyHash, apiKeyPrefix, newApiKeyText } from './api-key-text.ts'
import type { Queryable, Transaction } from './client.ts'
import { row } from './row.ts'

const Scopes = Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: ['read', 'write'] }))
const NullableText = Type.Union([Type.String(), Type.Null()])

const issued = row({ id: Type.String(), expires_at: NullableText })
const rotated = row({
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  scopes: Scopes,
  expires_at: NullableText,
})
const deleted = row({ id: Type.String(), prefix: Type.String() })
const listed = row({
  id: Type.String(),
  name: Type.String(),
  key_prefix: Type.String(),
  scopes: Scopes,
  expires_at: NullableText,
  last_used_at: NullableText,
  created_by: Type.String(),
  created_at: Type.String(),
})

/** Revoked by a rotation or a deletion, or expired: gone. */
const alive = sql.fragment`
  (revoked_at is null or revoked_at > clock()) and (expires_at is null or expires_at > clock())`

/** A key as it is asked for. */
export interface NewApiKey {
  readonly teamId: string
  /** The account on whose record it is. */
  readonly userId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null
}

/** A key just made. `key` is its whole text, which is stored nowhere. */
export interface IssuedApiKey {
  readonly key: string
  readonly id: string
  readonly prefix: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: string | null
}

/** Makes a key. Null when its expiry has passed. */
export async function createApiKey(tx: Queryable, wanted: NewApiKey): Promise<IssuedApiKey | null> {
  const key = newApiKeyText()
  const made = await tx.maybeOne(sql.type(issued)`
    insert into api_keys (team_id, user_id, name, prefix, hash, scopes, expires_at)
    select ${wanted.teamId}::uuid, ${wanted.userId}::uuid, ${wanted.name}, ${apiKeyPrefix(key)}, ${sql.binary(apiKeyHash(key))},
      ${sql.array([...wanted.scopes], 'text')}, ${wanted.expiresAt}::timestamptz
    where coalesce(${wanted.expiresAt}::timestamptz > clock(), true)
    returning id, expires_at`)
  if (!made) return null
  const { name, scopes } = wanted
  return { key, id: made.id, prefix: apiKeyPrefix(key), name, scopes, expiresAt: made.expires_at }
}

/** The keys of a team that still work, newest first. */
export const listApiKeys = (store: Queryable, teamId: string): Promise<readonly ApiKey[]> =>
  store.any(sql.type(listed)`
    select id, name, prefix as key_prefix, scopes, least(expires_at, revoked_at) as expires_at, last_used_at,
      user_id as created_by, created_at
    from api_keys
    where team_id = ${teamId} and ${alive}
    order by created_at desc, id`)

/** The key to rotate, and by whom. */
export interface KeyRotation {
  readonly teamId: string
  readonly keyId: string
  readonly userId: string
  /** How long the old key goes on working, at most until its own expiry; 0: not at all. */
  readonly graceHours: number
}

/** A new key with the name, the scopes and the expiry of an old one. Null when the team has no such key that works. */
export async function rotateApiKey(
  tx: Transaction,
  rotation: KeyRotation,
): Promise<(IssuedApiKey & { readonly oldPrefix: string }) | null> {
  const { teamId, keyId, userId, graceHours } = rotation
  // A key that is already on its way out keeps its end: least() takes the earlier one.
  const old = await tx.maybeOne(sql.type(rotated)`
    update api_keys set revoked_at = least(revoked_at, clock() + make_interval(hours => ${graceHours}))
    where id = ${keyId} and team_id = ${teamId} and ${alive}
    returning id, name, prefix, scopes, expires_at`)
  if (!old) return null
  const { name, scopes, expires_at: expiresAt, prefix: oldPrefix } = old
  const issued = await createApiKey(tx, { teamId, userId, name, scopes, expiresAt })
  return issued && { ...issued, oldPrefix }
}

/** Ends a key at once. Null when the team has no such key that works. */
export const deleteApiKey = (
  tx: Transaction,
  teamId: string,
  keyId: string,
): Promise<{ readonly id: string; readonly prefix: string } | null> =>
  tx.maybeOne(sql.type(deleted)`
    update api_keys set revoked_at = clock()
    where id = ${keyId} and team_id = ${teamId} and ${alive}
    returning id, prefix`)
