import { randomUUID } from 'node:crypto'
import { sql } from 'slonik'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Store, Transaction } from '../../../store/db/client.ts'
import { nothing } from '../../../store/db/row.ts'
import { keepIdempotentAnswer, purgeIdempotentAnswers } from '../../../store/maintenance/idempotent-answers.ts'
import { reEncrypt } from '../../../store/secrets/re-encrypt.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { eventually } from '../../support/run/eventually.ts'

let database: QueueDatabase
let other: Store
let teamId: string
beforeAll(async () => {
  database = await openQueueDatabase()
  other = await database.anotherStore(2)
})
beforeEach(async () => {
  teamId = await database.team()
})
afterEach(() => database.query('delete from idempotent_answers'))
afterAll(() => database[Symbol.asyncDispose]())

const answer = { request: 'a', status: 201, body: { text: 'x' } }
const keyed = (key: string) => ({ id: randomUUID(), teamId, operation: 'createMonitor', key })
const keep = (tx: Transaction, key: string) => keepIdempotentAnswer(tx, database.secrets, keyed(key), answer)

/** An answer that is too old to be repeated. */
async function keepOld(key: string): Promise<void> {
  await database.store.transaction((tx) => keep(tx, key))
  await database.query(`update idempotent_answers set created_at = clock() - interval '25 hours' where key = $1`, [key])
}
const keys = async () =>
  (await database.query<{ key: string }>('select key from idempotent_answers order by key')).map(({ key }) => key)
/** A transaction that has written what a team stores, as one that creates a monitor has, and ends with more work. */
async function writing<T>(then: (tx: Transaction) => Promise<T>) {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = database.store.transaction(async (tx) => {
    await tx.query(sql.type(nothing)`select from team_storage where team_id = ${teamId}::uuid for update`)
    begun.resolve()
    await held.promise
    return then(tx)
  })
  await begun.promise
  return () => {
    held.resolve()
    return ended
  }
}

/** Resolves when the work has ended, or a statement of the database waits for a lock. */
async function endedOrWaits(work: Promise<unknown>): Promise<void> {
  let hasEnded = false
  const ended = work.finally(() => (hasEnded = true)).catch(() => {})
  await eventually(
    () =>
      database.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
    ({ length }) => hasEnded || length !== 0,
  )
  if (hasEnded) await ended
}

describe('the clean-up of answers that are too old', () => {
  test('deletes those of every team, and leaves the others', async () => {
    await keepOld('a')
    teamId = await database.team()
    await keepOld('b')
    await database.store.transaction((tx) => keep(tx, 'c'))
    await purgeIdempotentAnswers(other)
    expect(await keys()).toEqual(['c'])
  })

  test('and a request that uses the key of one again never wait for each other', async () => {
    await keepOld('again')
    const mine = teamId
    teamId = await database.team()
    await keepOld('of another team')
    teamId = mine
    const goOn = await writing((tx) => keep(tx, 'again'))
    const purged = purgeIdempotentAnswers(other)
    await endedOrWaits(purged)
    expect(await Promise.all([goOn(), purged])).toEqual([true, undefined])
    expect(await keys()).toEqual(['again'])
  })
})

test('a rotation of the key and a request with a key that was used never wait for each other', async () => {
  await keepOld('again')
  const rotated = createSecretBox('a newer key, the key of a test')
  const goOn = await writing((tx) => keep(tx, 'again'))
  const done = reEncrypt(other, rotated, () => {})
  await endedOrWaits(done)
  expect(await Promise.all([goOn(), done])).toMatchObject([true, { isIncomplete: false }])
})

test('an answer is stored after the row that counts it is locked', async () => {
  await keepOld('again')
  // Whoever ends a team deletes its answers while it has the row.
  const goOn = await writing((tx) =>
    tx.query(sql.type(nothing)`delete from idempotent_answers where team_id = ${teamId}::uuid`),
  )
  const kept = other.transaction((tx) => keep(tx, 'again'))
  await endedOrWaits(kept)
  await goOn()
  expect(await kept).toBe(true)
  expect(await keys()).toEqual(['again'])
})
