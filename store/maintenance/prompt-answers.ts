import { sql } from 'slonik'
import Type from 'typebox'
import type { Values } from '../../schema/shape/json.ts'
import type { Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'

/** Days for which an answer of the model is reused. */
const ANSWER_DAYS = 30

const stored = row({ answer: Type.Unsafe<Values>({}) })

/**
 * Returns the model's answer to exactly this question of the team. Null: it was never asked, or too long ago. `key` is
 * 32 bytes.
 */
export async function findPromptAnswer(store: Queryable, teamId: string, key: Buffer): Promise<Values | null> {
  const found = await store.maybeOne(sql.prepared('find_prompt_answer', stored)`
    select answer from prompt_answers
    where team_id = ${teamId}::uuid and key = ${sql.binary(key)}
      and created_at > clock() - make_interval(days => ${ANSWER_DAYS})
  `)
  return found?.answer ?? null
}

/**
 * Stores an answer. It replaces an earlier one, which was too old or was stored by another process at the same time.
 */
export async function keepPromptAnswer(store: Queryable, teamId: string, key: Buffer, answer: Values): Promise<void> {
  await store.query(sql.prepared('keep_prompt_answer', nothing)`
    insert into prompt_answers (team_id, key, answer, created_at)
    values (${teamId}::uuid, ${sql.binary(key)}, ${JSON.stringify(answer)}::json, clock())
    on conflict (team_id, key) do update set answer = excluded.answer, created_at = excluded.created_at
  `)
}

const BATCH = 5_000

/** Deletes answers that are too old to be reused, in small batches. */
export async function purgePromptAnswers(store: Queryable): Promise<void> {
  for (let deleted = BATCH; deleted === BATCH;) {
    const { rowCount } = await store.query(sql.type(nothing)`
      delete from prompt_answers where (team_id, key) in (
        select team_id, key from prompt_answers where created_at <= clock() - make_interval(days => ${ANSWER_DAYS})
        limit ${BATCH} for update skip locked
      )`)
    deleted = rowCount
  }
}
