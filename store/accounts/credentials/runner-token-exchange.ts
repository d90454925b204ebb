import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Store } from '../../db/client.ts'
import { nothing, row } from '../../db/row.ts'
import { checkedTextHash, isCheckedText, newCheckedText } from './api-key-text.ts'
import { type LiveRunnerToken, RUNNER_TOKEN_PREFIX } from './runner-tokens.ts'

/*
 * The exchange of a runner token, and the end of the token before: decision 0049. Whatever changes the hash of a row
 * locks it.
 */

/** Between two exchanges of a token. */
export const EXCHANGE_EVERY_SECONDS = 60
/**
 * Requests that were sent with the token before arrive within this time after the first use of the next one, also
 * through a proxy that holds them back, or from a process that was frozen. The token is refused all the while.
 */
const UNDER_WAY_SECONDS = 15 * 60
/** A runner that was off for longer is refused as one whose token nobody knows. */
const REMEMBERED_DAYS = 90

const locked = row({ works: Type.Boolean(), is_too_soon: Type.Boolean() })
const renewed = row({ lives_ms: Type.Number(), renew_ms: Type.Number() })
const revoked = row({ id: Type.Integer(), job: Type.String() })

/** The token that an exchange gave. */
export interface ExchangedRunnerToken {
  readonly kind: 'exchanged'
  /** The complete text, which is not stored. */
  readonly token: string
  readonly livesMs: number
  readonly renewMs: number
}

/** The token has ended since it was found, or it was exchanged a moment ago. */
type NotExchanged = { readonly kind: 'ended' } | { readonly kind: 'too_soon' }

/**
 * Gives the runner another token in place of the one that it used. That one works on until the other one is used, so
 * that an answer that is lost locks nobody out: the exchange is made again, and the token of the lost answer ends.
 */
export const exchangeRunnerToken = (
  store: Store,
  { id, hash }: Pick<LiveRunnerToken, 'id' | 'hash'>,
): Promise<ExchangedRunnerToken | NotExchanged> =>
  store.transaction(async (tx) => {
    // The lock first: the statement after it sees what the exchange before it has written.
    await tx.query(sql.type(nothing)`select from runner_tokens where id = ${id} for update`)
    const given = sql.binary(hash)
    const found = await tx.maybeOne(sql.type(locked)`
      select t.hash = ${given} or exists (
          select from exchanged_runner_tokens e
          where e.hash = ${given} and e.token_id = t.id and e.theft_from is null and e.expires_at > clock()
        ) as works,
        t.exchanged_at > clock() - make_interval(secs => ${EXCHANGE_EVERY_SECONDS}) is true as is_too_soon
      from runner_tokens t
      where t.id = ${id} and t.renew_seconds is not null and t.revoked_at is null and t.expires_at > clock()`)
    if (!found?.works) return { kind: 'ended' }
    if (found.is_too_soon) return { kind: 'too_soon' }
    const token = newCheckedText(RUNNER_TOKEN_PREFIX)
    const { lives_ms: livesMs, renew_ms: renewMs } = await tx.one(sql.type(renewed)`
      with replaced as (
        -- One that nobody has used yet is the token of an answer that was lost: it ends at once.
        insert into exchanged_runner_tokens (hash, token_id, expires_at, theft_from)
        select hash, id, expires_at, case when hash = ${given} then null else clock() end
        from runner_tokens where id = ${id}
      )
      update runner_tokens
      set hash = ${sql.binary(checkedTextHash(token))}, exchanged_at = clock(),
        expires_at = clock() + make_interval(secs => renew_seconds)
      where id = ${id}
      returning renew_seconds * 1000::float8 as lives_ms, renew_seconds * 500::float8 as renew_ms`)
    return { kind: 'exchanged', token, livesMs, renewMs }
  })

/** Ends the token before the one that is used now, by its hash. */
export async function endFormerRunnerToken(store: Queryable, hash: Uint8Array): Promise<void> {
  await store.query(sql.type(nothing)`
    update exchanged_runner_tokens set theft_from = clock() + make_interval(secs => ${UNDER_WAY_SECONDS})
    where hash = ${sql.binary(Buffer.from(hash))} and theft_from is null`)
}

/** A token that was revoked because one from before an exchange was used. */
export interface ReusedRunnerToken {
  readonly id: number
  readonly job: string
}

/**
 * Revokes the token that took the place of this text, where the text has ended: two have it, or had it. Writes an event
 * for the first team of the installation, whose owner is who installed it. Returns null when the text is another
 * one, or nothing works any more that could be revoked.
 */
export async function revokeReusedRunnerToken(store: Queryable, text: string): Promise<ReusedRunnerToken | null> {
  if (!isCheckedText(RUNNER_TOKEN_PREFIX, text)) return null
  return store.maybeOne(sql.type(revoked)`
    with reused as (
      update runner_tokens t set revoked_at = clock()
      from exchanged_runner_tokens e
      where e.hash = ${sql.binary(checkedTextHash(text))} and e.theft_from <= clock() and t.id = e.token_id
        and t.revoked_at is null and t.expires_at > clock()
      returning t.id, t.job
    ),
    noted as (
      -- A worker of the version before knows the second key only, and says that checks wait for a browser.
      insert into notice_events (team_id, kind, detail, key)
      select team.id, 'failing',
        jsonb_build_object('runner_token', jsonb_build_object('job', reused.job), 'waiting_for_browser', true),
        concat_ws(' ', 'runner_token', reused.id)
      from reused, (select id from teams where ended_at is null order by created_at, id limit 1) team
      on conflict (key) do nothing
    )
    select id, job from reused`)
}

/** Deletes what is remembered of tokens from before exchanges that are long ago. */
export async function purgeExchangedRunnerTokens(store: Queryable): Promise<void> {
  await store.query(sql.type(nothing)`
    delete from exchanged_runner_tokens
    where created_at < clock() - make_interval(days => ${REMEMBERED_DAYS}) and theft_from is not null`)
}
