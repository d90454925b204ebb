import { sql } from 'slonik'
import Type from 'typebox'
import type { ApiKey, Scope } from '../../../schema/account/api-key.ts'
import type { Queryable, Transaction } from '../../db/client.ts'
import { row } from '../../db/row.ts'
import { apiKeyHash, apiKeyPrefix, newApiKeyText } from './api-key-text.ts'

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
const living = row({ is_replaced: Type.Boolean() })
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
  replaced: Type.Boolean(),
})

/** A key that works: not revoked by a rotation or a deletion, and not expired. */
const alive = sql.fragment`
  (revoked_at is null or revoked_at > clock()) and (expires_at is null or expires_at > clock())`

/** A request for a key. */
interface NewApiKey {
  readonly teamId: string
  /** The account that the key belongs to. */
  readonly userId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null
}

/** A key that was just created. `key` is its complete text, which is not stored. */
export interface IssuedApiKey {
  readonly key: string
  readonly id: string
  readonly prefix: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: string | null
}

/** Creates a key. Returns null when its expiry is in the past. */
export async function insertApiKey(tx: Queryable, wanted: NewApiKey): Promise<IssuedApiKey | null> {
  const key = newApiKeyText()
  const made = await tx.maybeOne(sql.type(issued)`
    insert into api_keys (team_id, user_id, name, prefix, hash, scopes, expires_at)
    select ${wanted.teamId}::uuid, ${wanted.userId}::uuid, ${wanted.name}, ${apiKeyPrefix(key)},
      ${sql.binary(apiKeyHash(key))},
      ${sql.array([...wanted.scopes], 'text')}, ${wanted.expiresAt}::timestamptz
    where coalesce(${wanted.expiresAt}::timestamptz > clock(), true)
    returning id, expires_at`)
  if (!made) return null
  const { name, scopes } = wanted
  return { key, id: made.id, prefix: apiKeyPrefix(key), name, scopes, expiresAt: made.expires_at }
}

const counted = row({ count: Type.Integer() })

/** Returns how many keys of a team still work. */
export const countApiKeys = (store: Queryable, teamId: string): Promise<number> =>
  store.oneFirst(sql.type(counted)`
    select count(*)::int as count from api_keys where team_id = ${teamId}::uuid and ${alive}`)

/** Returns the keys of a team that still work, newest first. */
export const listApiKeys = (store: Queryable, teamId: string): Promise<readonly ApiKey[]> =>
  store.any(sql.type(listed)`
    select id, name, prefix as key_prefix, scopes, least(expires_at, revoked_at) as expires_at, last_used_at,
      user_id as created_by, created_at, revoked_at is not null as replaced
    from api_keys
    where team_id = ${teamId} and ${alive}
    order by created_at desc, id`)

/** The key to rotate, and the user who rotates it. */
interface KeyRotation {
  readonly teamId: string
  readonly keyId: string
  readonly userId: string
  /** Hours for which the old key still works, at most until its own expiry. 0: it stops at once. */
  readonly graceHours: number
}

/** The result of a rotation. `replaced`: the key was rotated before, and it works only until its grace period ends. */
type Rotated =
  | { readonly kind: 'rotated'; readonly issued: IssuedApiKey; readonly oldPrefix: string }
  | { readonly kind: 'replaced' | 'no_such_key' }

/** Creates a new key with the name, the scopes and the expiry of an old one. Each key can be replaced only once. */
export async function replaceApiKey(tx: Transaction, rotation: KeyRotation): Promise<Rotated> {
  const { teamId, keyId, userId, graceHours } = rotation
  // The row is locked. Of two rotations at the same time, the second one sees the result of the first.
  const found = await tx.maybeOne(sql.type(living)`
    select revoked_at is not null as is_replaced from api_keys
    where id = ${keyId} and team_id = ${teamId} and ${alive} for update`)
  if (!found) return { kind: 'no_such_key' }
  if (found.is_replaced) return { kind: 'replaced' }
  const old = await tx.one(sql.type(rotated)`
    update api_keys set revoked_at = clock() + make_interval(hours => ${graceHours}) where id = ${keyId}
    returning id, name, prefix, scopes, expires_at`)
  const { name, scopes, expires_at: expiresAt, prefix: oldPrefix } = old
  const issued = await insertApiKey(tx, { teamId, userId, name, scopes, expiresAt })
  return issued ? { kind: 'rotated', issued, oldPrefix } : { kind: 'no_such_key' }
}

/** Revokes a key at once. Returns null when the team has no working key with this id. */
export const revokeApiKey = (
  tx: Transaction,
  teamId: string,
  keyId: string,
): Promise<{ readonly id: string; readonly prefix: string } | null> =>
  tx.maybeOne(sql.type(deleted)`
    update api_keys set revoked_at = clock()
    where id = ${keyId} and team_id = ${teamId} and ${alive}
    returning id, prefix`)
