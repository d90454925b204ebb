import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Transaction } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { limitOf } from '../quota/pool.ts'
import type { SecretBox } from '../secrets/secret-box.ts'

/** Hours for which the answer to a request is repeated. */
const KEPT_HOURS = 24

/** A request that may arrive again, with the key that its client gave it. */
interface KeyedRequest {
  readonly teamId: string
  readonly operation: string
  readonly key: string
}

interface KeptAnswer {
  /** A hash: the key with another request is a conflict. */
  readonly request: string
  readonly status: number
  readonly body: unknown
}

const locked = row({ got: Type.Boolean() })
const stored = row({ id: Type.String(), answer: Type.Unsafe<Uint8Array>({}) })

/**
 * Returns the answer that a request with this key got, null when there was none, and `busy` while another request with
 * it is under way. Until the end of the transaction, the others get `busy`.
 */
export async function takeIdempotencyKey(
  tx: Transaction,
  secrets: SecretBox,
  { teamId, operation, key }: KeyedRequest,
): Promise<KeptAnswer | null | 'busy'> {
  const text = `tidemark idempotency key ${teamId}/${operation}/${key}`
  const isMine = await tx.oneFirst(sql.type(locked)`
    select pg_try_advisory_xact_lock(hashtextextended(${text}, 0)) as got
  `)
  if (!isMine) return 'busy'
  const found = await tx.maybeOne(sql.type(stored)`
    select id, answer from idempotent_answers
    where team_id = ${teamId}::uuid and operation = ${operation} and key = ${key}
      and created_at > clock() - make_interval(hours => ${KEPT_HOURS})
  `)
  if (!found) return null
  const place = { teamId, column: 'idempotent_answers.answer', rowId: found.id } as const
  return secrets.open(place, found.answer) as KeptAnswer
}

const fits = row({ fits: Type.Boolean() })

/*
 * A trigger counts the bytes of answers in the row of team_storage, and a request may have written there before it has
 * an answer. So a transaction that writes answers locks that row first, and then the answers.
 */

/**
 * Stores what a request is answered. It replaces an answer that is too old to be repeated. Returns false when the
 * answers of the team take more than its configurations may: then the transaction has to be rolled back.
 */
export async function keepIdempotentAnswer(
  tx: Transaction,
  secrets: SecretBox,
  { id, teamId, operation, key }: KeyedRequest & { readonly id: string },
  answer: KeptAnswer,
): Promise<boolean> {
  const sealed = secrets.seal({ teamId, column: 'idempotent_answers.answer', rowId: id }, answer)
  await tx.query(sql.type(nothing)`
    with own as materialized (select team_id from team_storage where team_id = ${teamId}::uuid for update)
    insert into idempotent_answers (id, team_id, operation, key, answer, created_at)
    select ${id}::uuid, team_id, ${operation}, ${key}, ${sql.binary(sealed)}, clock() from own
    on conflict (team_id, operation, key) do update
    set id = excluded.id, answer = excluded.answer, created_at = excluded.created_at
  `)
  return tx.oneFirst(sql.type(fits)`
    select coalesce(s.kept_answer_bytes <= ${limitOf('configurationBytes')}, true) as fits
    from team_storage s cross join lateral team_limits(s.team_id) l
    where s.team_id = ${teamId}::uuid
  `)
}

const BATCH = 5_000

/**
 * Deletes answers that are too old to be repeated, in small batches. It waits for nobody: those of a team that is
 * writing are left to the next time.
 */
export async function purgeIdempotentAnswers(store: Queryable): Promise<void> {
  for (let deleted = BATCH; deleted > 0;) {
    const { rowCount } = await store.query(sql.type(nothing)`
      with old as materialized (
        select id, team_id from idempotent_answers
        where created_at <= clock() - make_interval(hours => ${KEPT_HOURS})
        order by created_at limit ${BATCH}
      ),
      free as materialized (
        select team_id from team_storage where team_id in (select team_id from old)
        order by team_id for update skip locked
      )
      delete from idempotent_answers where id in (
        select a.id from idempotent_answers a join old using (id) join free on free.team_id = old.team_id
        for update of a skip locked
      )`)
    deleted = rowCount
  }
}
