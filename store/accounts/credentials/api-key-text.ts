import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { sql } from 'slonik'
import Type from 'typebox'
import type { Scope } from '../../../schema/account/api-key.ts'
import type { Store } from '../../db/client.ts'
import { nothing, row } from '../../db/row.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 30
const CHECK_LENGTH = 6

/**
 * Returns a new secret: the prefix, 30 random characters of base62 (178 bits), and 6 check characters, so that a
 * typing error is found without the store.
 */
export function newCheckedText(prefix: string): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return prefix + random + checkOf(random)
}

/** Returns whether the text has the form of a secret with that prefix. */
export function isCheckedText(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix) || text.length !== prefix.length + RANDOM_LENGTH + CHECK_LENGTH) return false
  const random = text.slice(prefix.length, -CHECK_LENGTH)
  return /^[0-9A-Za-z]+$/.test(random) && checkOf(random) === text.slice(-CHECK_LENGTH)
}

/** Returns the hash that is stored for a secret. A slow hash would add nothing to 178 random bits. */
export const checkedTextHash = (text: string): Buffer => createHash('sha256').update(text).digest()

function checkOf(random: string): string {
  let rest = crc32(random)
  let check = ''
  for (let index = 0; index < CHECK_LENGTH; index += 1) {
    check = ALPHABET[rest % ALPHABET.length] + check
    rest = Math.floor(rest / ALPHABET.length)
  }
  return check
}

const PREFIX = 'svc_'

/** How many characters of a key are stored and shown. */
const SHOWN = 8

/** Returns the text of a new key. */
export const newApiKeyText = (): string => newCheckedText(PREFIX)

/** Returns whether the text has the form of a key. */
export const isApiKeyText = (text: string): boolean => isCheckedText(PREFIX, text)

/** The hash that is stored for a key. */
export const apiKeyHash = checkedTextHash

/** Returns the part of a key that is shown. */
export const apiKeyPrefix = (text: string): string => text.slice(0, SHOWN)

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
