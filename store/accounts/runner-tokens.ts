import { sql } from 'slonik'
import Type from 'typebox'
import { checkedTextHash, isCheckedText, newCheckedText } from './api-key-text.ts'
import type { Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'

const PREFIX = 'tdr_'

const issued = row({ id: Type.Integer(), expires_at: Type.String() })
const live = row({ id: Type.Integer(), job: Type.String(), lives_ms: Type.Number() })

/** A token that was just created. `token` is its complete text, which is not stored. */
export interface IssuedRunnerToken {
  readonly id: number
  readonly job: string
  readonly token: string
  /** ISO 8601. */
  readonly expires_at: string
}

/** A token that works now. */
export interface LiveRunnerToken {
  /** Checks that are claimed with the token are marked with this id. */
  readonly id: number
  readonly job: string
  /** Milliseconds until it expires. */
  readonly livesMs: number
}

/** Creates a token for one Job, by name. It expires after the given number of seconds. */
export async function createRunnerToken(
  store: Queryable,
  { job, ttlSeconds }: { readonly job: string; readonly ttlSeconds: number },
): Promise<IssuedRunnerToken> {
  const token = newCheckedText(PREFIX)
  const made = await store.one(sql.type(issued)`
    insert into runner_tokens (job, hash, expires_at)
    values (${job}, ${sql.binary(checkedTextHash(token))}, clock() + make_interval(secs => ${ttlSeconds}))
    returning id, expires_at`)
  return { id: made.id, job, token, expires_at: made.expires_at }
}

/**
 * Returns the token with this text; null when there is none that works. It is found by its hash, so the duration of
 * the comparison does not reveal how much of the text is right.
 */
export async function findLiveRunnerToken(store: Queryable, text: string): Promise<LiveRunnerToken | null> {
  if (!isCheckedText(PREFIX, text)) return null
  const found = await store.maybeOne(sql.type(live)`
    select id, job, ceil(extract(epoch from expires_at - clock()) * 1000)::float8 as lives_ms
    from runner_tokens
    where hash = ${sql.binary(checkedTextHash(text))} and revoked_at is null and expires_at > clock()`)
  return found && { id: found.id, job: found.job, livesMs: found.lives_ms }
}

/**
 * Revokes all tokens of a Job at once. Other runners take over its checks when their leases end. Returns how many
 * tokens worked until now.
 */
export async function revokeRunnerTokens(store: Queryable, job: string): Promise<number> {
  const { rowCount } = await store.query(sql.type(nothing)`
    update runner_tokens set revoked_at = clock() where job = ${job} and revoked_at is null and expires_at > clock()`)
  return rowCount
}

/** Deletes tokens that expired more than a day ago. */
export async function purgeRunnerTokens(store: Queryable): Promise<number> {
  const { rowCount } = await store.query(sql.type(nothing)`
    delete from runner_tokens where least(expires_at, revoked_at) < clock() - interval '1 day'`)
  return rowCount
}
