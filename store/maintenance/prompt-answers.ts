import { sql } from 'slonik'
import Type from 'typebox'
import type { Values } from '../../schema/shape/json.ts'
import type { Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'

/** The days for which an answer of the model is used again. */
const ANSWER_DAYS = 30

const stored = row({ answer: Type.Unsafe<Values>({}) })

/**
 * What the model said to this very question of the team; null when it was never asked, or too long ago. `key` is 32
 * bytes.
 */
export async function findPromptAnswer(store: Queryable, teamId: string, key: Buffer): Promise<Values | null> {
  const found = await store.maybeOne(sql.prepared('find_prompt_answer', stored)`
    select answer from prompt_answers
    where team_id = ${teamId}::uuid and key = ${sql.binary(key)}
      and created_at > clock() - make_interval(days => ${ANSWER_DAYS})
  `)
  return found?.answer ?? null
}

/** Keeps an answer. One that was kept before is replaced: it was too old, or another process asked at the same time. */
export async function keepPromptAnswer(store: Queryable, teamId: string, key: Buffer, answer: Values): Promise<void> {
  await store.query(sql.prepared('keep_prompt_answer', nothing)`
    insert into prompt_answers (team_id, key, answer, created_at)
    values (${teamId}::uuid, ${sql.binary(key)}, ${JSON.stringify(answer)}::json, clock())
    on conflict (team_id, key) do update set answer = excluded.answer, created_at = excluded.created_at
  `)
}

const BATCH = 5_000

/** Deletes what is too old to be used, in small batches. */
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
