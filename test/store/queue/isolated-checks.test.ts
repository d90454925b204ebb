import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRunnerToken, revokeRunnerTokens } from '../../../store/accounts/credentials/runner-tokens.ts'
import { row } from '../../../store/db/row.ts'
import { isolatedChecks } from '../../../store/queue/isolated-checks.ts'
import { isolate, stopChecks } from '../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
beforeEach(() => database.query('truncate checks, monitors, runner_tokens, asked_work, team_usage cascade'))
afterAll(() => database[Symbol.asyncDispose]())

interface Due {
  readonly count: number
  readonly dueSeconds: number
}

/** Returns the numbers of due isolated checks of a new team, the most overdue first. */
async function isolated({ count, dueSeconds }: Due): Promise<readonly number[]> {
  const numbers = await database.monitors(await database.team(), { queue: 'browser', count, dueSeconds })
  await isolate(database, numbers)
  return numbers
}

/** Starts the pod of a check: a token is made, as the leader of the operator does. */
const start = (no: number, store = database.store) =>
  createRunnerToken(store, { job: `job-${no}`, ttlSeconds: 900, claims: 1, checkNo: no })

describe('of isolated checks that are due', () => {
  test("a thousand of one team delay a neighbour's single one by one turn, however young it is", async () => {
    const many = await isolated({ count: 1_000, dueSeconds: 3_600 })
    const [neighbour] = await isolated({ count: 1, dueSeconds: 1 })
    expect(await isolatedChecks(database.store, 4)).toEqual([many[0], neighbour, many[1], many[2]])
  })

  test('teams take turns, and each gives its most overdue first', async () => {
    const [a, b, c] = [
      await isolated({ count: 3, dueSeconds: 300 }),
      await isolated({ count: 2, dueSeconds: 200 }),
      await isolated({ count: 4, dueSeconds: 100 }),
    ]
    expect(await isolatedChecks(database.store, 9)).toEqual([a[0], b[0], c[0], a[1], b[1], c[1], a[2], c[2], c[3]])
  })

  test('a team with pods waits until the others have as many, in each round and under each leader', async () => {
    const many = await isolated({ count: 100, dueSeconds: 3_600 })
    for (const no of await isolatedChecks(database.store, 3)) await start(no)
    const few = await isolated({ count: 5, dueSeconds: 1 })
    const another = await database.anotherStore(1)
    const round = async (leader = database.store) => {
      const numbers = await isolatedChecks(leader, 2)
      for (const no of numbers) await start(no, leader)
      return numbers
    }
    // The three pods of the first team, whose checks were the oldest, are its first three turns.
    expect(await round()).toEqual([few[0], few[1]])
    expect(await round(another)).toEqual([few[2], many[3]])
    expect(await round()).toEqual([few[3], many[4]])
    expect(await round(another)).toEqual([few[4], many[5]])
    expect(await round()).toEqual([many[6], many[7]])
  })

  test('a pod that has ended takes no turn of its team', async () => {
    const [first = 0, second] = await isolated({ count: 2, dueSeconds: 100 })
    const [neighbour] = await isolated({ count: 1, dueSeconds: 1 })
    await start(first)
    expect(await isolatedChecks(database.store, 1)).toEqual([neighbour])
    await stopChecks(database, first)
    await revokeRunnerTokens(database.store, `job-${first}`)
    expect(await isolatedChecks(database.store, 1)).toEqual([second])
  })

  test('those that their team cannot pay for take no turn', async () => {
    const [first, second] = await isolated({ count: 2, dueSeconds: 100 })
    await database.query('update team_usage set runs_limit = 1, runs_used = 1')
    await database.query('update checks set queued_run_id = uuid_v7(clock()) where no = $1', [second])
    expect(await isolatedChecks(database.store, 9)).toEqual([second])
    expect(first).not.toBe(second)
  })

  test('ten thousand of one team are not read to find the first few', async () => {
    const many = await isolated({ count: 10_000, dueSeconds: 3_600 })
    const [neighbour] = await isolated({ count: 1, dueSeconds: 1 })
    await database.query('vacuum analyze checks')
    // A connection counts what it read a moment ago too, so this one is new.
    const fresh = await database.anotherStore(1)
    await fresh.transaction(async (tx) => {
      expect(await isolatedChecks(tx, 4)).toEqual([many[0], neighbour, many[1], many[2]])
      expect(await tx.oneFirst(READ)).toBeLessThan(100)
    })
  })
})

/** Rows and index entries of `checks` that the statements of this transaction have read. */
const READ = sql.type(row({ read: Type.Integer() }))`
  select (pg_stat_get_xact_tuples_returned('checks'::regclass)
    + sum(pg_stat_get_xact_tuples_returned(indexrelid)))::int as read
  from pg_index where indrelid = 'checks'::regclass`
