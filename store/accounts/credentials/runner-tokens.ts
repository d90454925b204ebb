import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../../db/client.ts'
import { nothing, row } from '../../db/row.ts'
import { checkedTextHash, isCheckedText, newCheckedText } from './api-key-text.ts'

const PREFIX = 'tdr_'

const issued = row({ id: Type.Integer(), expires_at: Type.String() })
const Count = Type.Union([Type.Integer(), Type.Null()])
const live = row({
  id: Type.Integer(),
  job: Type.String(),
  lives_ms: Type.Number(),
  claims_left: Count,
  is_unsandboxed: Type.Boolean(),
  check_no: Count,
})
const taken = row({ taken: Type.Integer() })
const bound = row({ job: Type.String(), is_unsandboxed: Type.Boolean() })

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
  /** Checks that may still be claimed with it. Null: any number. */
  readonly claimsLeft: number | null
  /** The one isolated check that it may claim. Null: any that is not isolated. */
  readonly checkNo: number | null
  /** Its runner said that its browsers do not have their own sandbox. */
  readonly isUnsandboxed: boolean
}

interface NewRunnerToken {
  readonly job: string
  readonly ttlSeconds: number
  /** Checks that may be claimed with it in all. Default: any number. */
  readonly claims?: number
  /** The one isolated check that it may claim. Default: any that is not isolated. */
  readonly checkNo?: number
}

/** Creates a token for one Job, by name. It expires after the given number of seconds. */
export async function createRunnerToken(
  store: Pick<Queryable, 'one'>,
  { job, ttlSeconds, claims, checkNo }: NewRunnerToken,
): Promise<IssuedRunnerToken> {
  const token = newCheckedText(PREFIX)
  const made = await store.one(sql.type(issued)`
    insert into runner_tokens (job, hash, expires_at, claims_left, check_no)
    values (
      ${job}, ${sql.binary(checkedTextHash(token))}, clock() + make_interval(secs => ${ttlSeconds}), ${claims ?? null},
      ${checkNo ?? null}
    )
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
    select id, job, ceil(extract(epoch from expires_at - clock()) * 1000)::float8 as lives_ms,
      claims_left, is_unsandboxed, check_no
    from runner_tokens
    where hash = ${sql.binary(checkedTextHash(text))} and revoked_at is null and expires_at > clock()`)
  if (found === null) return null
  const {
    id,
    job,
    lives_ms: livesMs,
    claims_left: claimsLeft,
    is_unsandboxed: isUnsandboxed,
    check_no: checkNo,
  } = found
  return { id, job, livesMs, claimsLeft, isUnsandboxed, checkNo }
}

/**
 * Takes up to `count` claims from what a bounded token has left, and returns how many. They are taken before the checks
 * are claimed, so that many requests at once get no more than one after the other.
 */
export async function takeRunnerClaims(store: Queryable, id: number, count: number): Promise<number> {
  const found = await store.maybeOne(sql.type(taken)`
    with had as (select id, least(claims_left, ${count}) as taken from runner_tokens where id = ${id} for update)
    update runner_tokens t set claims_left = t.claims_left - had.taken
    from had where t.id = had.id and had.taken > 0
    returning had.taken`)
  return found?.taken ?? 0
}

/** Gives claims back for which there was no check. */
export async function returnRunnerClaims(store: Queryable, id: number, count: number): Promise<void> {
  await store.query(sql.type(nothing)`
    update runner_tokens set claims_left = claims_left + ${count} where id = ${id}`)
}

/** Notes that the browsers of a runner do not have their own sandbox. */
export async function noteUnsandboxed(store: Queryable, id: number): Promise<void> {
  await store.query(sql.type(nothing)`update runner_tokens set is_unsandboxed = true where id = ${id}`)
}

/** Returns the names that start with `prefix` and have a token that works. */
export async function liveRunnerJobs(store: Queryable, prefix: string) {
  return store.any(sql.type(bound)`
    select job, bool_or(is_unsandboxed) as is_unsandboxed from runner_tokens
    where starts_with(job, ${prefix}) and revoked_at is null and expires_at > clock()
    group by job`)
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
