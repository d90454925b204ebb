import { sql } from 'slonik'
import Type from 'typebox'
import type { Scope } from '../../schema/account/api-key.ts'
import { apiKeyHash } from './api-key-text.ts'
import type { Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'

const found = row({
  id: Type.String(),
  team_id: Type.String(),
  user_id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: ['read', 'write'] })),
  lives_ms: Type.Union([Type.Number(), Type.Null()]),
  use_is_stale: Type.Boolean(),
})

/** A key that works now. */
interface LiveApiKey {
  readonly id: string
  readonly teamId: string
  readonly userId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Milliseconds until it expires. Null: it does not expire. */
  readonly livesMs: number | null
}

/** Returns the key with this text, or null when there is none that works. Records its use at most once a minute. */
export async function findLiveApiKey(store: Store, text: string): Promise<LiveApiKey | null> {
  const key = await store.maybeOne(sql.type(found)`
    select id, team_id, user_id, name, scopes,
      ceil(extract(epoch from least(expires_at, revoked_at) - clock()) * 1000)::float8 as lives_ms,
      coalesce(last_used_at < clock() - interval '1 minute', true) as use_is_stale
    from api_keys
    where hash = ${sql.binary(apiKeyHash(text))}
      and (revoked_at is null or revoked_at > clock()) and (expires_at is null or expires_at > clock())`)
  if (!key) return null
  if (key.use_is_stale) {
    await store.query(sql.type(nothing)`
      update api_keys set last_used_at = clock()
      where id = ${key.id} and coalesce(last_used_at < clock() - interval '1 minute', true)`)
  }
  return {
    id: key.id,
    teamId: key.team_id,
    userId: key.user_id,
    name: key.name,
    scopes: key.scopes,
    livesMs: key.lives_ms,
  }
}
