import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../../db/client.ts'
import { nothing, row } from '../../db/row.ts'
import { checkedTextHash, isCheckedText, newCheckedText } from './api-key-text.ts'

export const RUNNER_TOKEN_PREFIX = 'tdr_'

const issued = row({ id: Type.Integer(), expires_at: Type.String() })
const Count = Type.Union([Type.Integer(), Type.Null()])
const live = row({
  id: Type.Integer(),
  job: Type.String(),
  lives_ms: Type.Number(),
  claims_left: Count,
  is_unsandboxed: Type.Boolean(),
  check_no: Count,
  renew_ms: Type.Union([Type.Number(), Type.Null()]),
  former: Type.Unsafe<Buffer | null>({}),
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
  /** Milliseconds until its runner should exchange it: half of its life. Null: it is never exchanged. */
  readonly renewMs: number | null
  readonly hash: Buffer
  /** The hash of the token before it, which ends with the first use of this one. Null: there is none. */
  readonly former: Buffer | null
}

interface NewRunnerToken {
  readonly job: string
  readonly ttlSeconds: number
  /** Checks that may be claimed with it in all. Default: any number. */
  readonly claims?: number
  /** The one isolated check that it may claim. Default: any that is not isolated. */
  readonly checkNo?: number
  /** Its runner exchanges it for another one that is valid for as long, again and again. Default: no. */
  readonly isRenewed?: boolean
}

/** Creates a token for one Job, by name. It expires after the given number of seconds. */
export async function createRunnerToken(
  store: Pick<Queryable, 'one'>,
  { job, ttlSeconds, claims, checkNo, isRenewed = false }: NewRunnerToken,
): Promise<IssuedRunnerToken> {
  const token = newCheckedText(RUNNER_TOKEN_PREFIX)
  const made = await store.one(sql.type(issued)`
    insert into runner_tokens (job, hash, expires_at, claims_left, check_no, renew_seconds)
    values (
      ${job}, ${sql.binary(checkedTextHash(token))}, clock() + make_interval(secs => ${ttlSeconds}), ${claims ?? null},
      ${checkNo ?? null}, ${isRenewed ? ttlSeconds : null}
    )
    returning id, expires_at`)
  return { id: made.id, job, token, expires_at: made.expires_at }
}

/**
 * Returns the token with this text; null when there is none that works. It is found by its hash, so the duration of
 * the comparison does not reveal how much of the text is right.
 */
export async function findLiveRunnerToken(store: Queryable, text: string): Promise<LiveRunnerToken | null> {
  if (!isCheckedText(RUNNER_TOKEN_PREFIX, text)) return null
  const hash = checkedTextHash(text)
  const found = await store.maybeOne(sql.type(live)`
    select t.id, job, ceil(extract(epoch from found.expires_at - clock()) * 1000)::float8 as lives_ms,
      claims_left, is_unsandboxed, check_no, former,
      case when renew_seconds is not null then
        greatest(0, extract(epoch from found.expires_at - clock()) * 1000 - renew_seconds * 500)
      end::float8 as renew_ms
    from (
      select n.id, n.expires_at, e.hash as former
      from runner_tokens n
      left join exchanged_runner_tokens e on e.token_id = n.id and e.theft_from is null
      where n.hash = ${sql.binary(hash)}
      union all
      -- The one before works as long as the next one was not used.
      select token_id, expires_at, null from exchanged_runner_tokens
      where hash = ${sql.binary(hash)} and theft_from is null
    ) found join runner_tokens t on t.id = found.id
    where revoked_at is null and t.expires_at > clock() and found.expires_at > clock()`)
  if (found === null) return null
  return {
    id: found.id,
    job: found.job,
    livesMs: found.lives_ms,
    claimsLeft: found.claims_left,
    isUnsandboxed: found.is_unsandboxed,
    checkNo: found.check_no,
    renewMs: found.renew_ms,
    hash,
    former: found.former,
  }
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
