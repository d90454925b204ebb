import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readBacklog } from '../../../store/maintenance/backlog.ts'
import { browserDemand } from '../../../store/queue/browser-demand.ts'
import { claimSearches } from '../../../store/queue/claim-search.ts'
import { isolatedChecks } from '../../../store/queue/isolated-checks.ts'
import { isolate, setLevel, stopChecks } from '../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { addSearch } from '../../support/database/stored-searches.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
afterEach(() => stopChecks(database, 'all'))
afterAll(() => database[Symbol.asyncDispose]())

const numbers = (rows: readonly { no: number }[]) => rows.map(({ no }) => no).sort((a, b) => a - b)
const raise = (checks: readonly number[], level: number) => setLevel(database, checks, level)

describe('A claim of pages', () => {
  test('takes what is at its level and below, the most overdue first', async () => {
    const team = await database.team()
    const [first = 0, second = 0, third = 0, fourth = 0] = await database.monitors(team, { count: 4, dueSeconds: 100 })
    await raise([first, third], 3)
    await raise([second], 4)

    expect(numbers(await database.claim())).toEqual([fourth])
    expect(numbers(await database.claim({ level: 3, limit: 1 }))).toEqual([first])
    expect(numbers(await database.claim({ level: 3 }))).toEqual([third])
    expect(numbers(await database.claim({ level: 4 }))).toEqual([second])
  })

  test('shares its limit among levels as among checks', async () => {
    const team = await database.team({ runs: 3 })
    const [one = 0, two = 0, three = 0] = await database.monitors(team, { count: 5, dueSeconds: 100 })
    await raise([two], 3)
    expect(numbers(await database.claim({ level: 3, limit: 10, perTeam: 10 }))).toEqual([one, two, three])
    expect(await database.usage(team)).toMatchObject({ runs_used: 3 })
  })

  test('leaves one that is above it where a token is for this check alone', async () => {
    const [no = 0] = await database.monitors(await database.team(), { queue: 'browser' })
    await database.query('update checks set is_isolated = true, level = 3 where no = $1', [no])
    expect(await database.claim({ queue: 'browser', only: no })).toEqual([])
    expect(numbers(await database.claim({ queue: 'browser', only: no, level: 3 }))).toEqual([no])
  })
})

test('a claim of searches leaves what is above its level, and skips none of it', async () => {
  const team = await database.team({ serp: 0 })
  const no = await addSearch(database, team)
  await raise([no], 3)
  const claim = { exit: 'here', limit: 5, leaseSeconds: 60, holder: null, hasProvider: false }
  expect(await claimSearches(database.store, claim)).toEqual([])
  expect(await database.runs(no)).toEqual([])
  await raise([no], 1)
  await claimSearches(database.store, claim)
  expect((await database.runs(no)).map(({ status }) => status)).toEqual(['skipped'])
})

test('neither the number of pods nor the backlog counts what is above the level of who asks', async () => {
  const team = await database.team()
  const [rendered = 0, isolated = 0] = await database.monitors(team, { count: 2, queue: 'browser' })
  await isolate(database, isolated)
  expect(await browserDemand(database.store, 10)).toMatchObject({ due: 1 })
  expect(await isolatedChecks(database.store, 10)).toEqual([isolated])
  expect(await readBacklog(database.store)).toMatchObject({ checks_due: 2 })

  await raise([rendered, isolated], 3)
  expect(await browserDemand(database.store, 10)).toMatchObject({ due: 0 })
  expect(await isolatedChecks(database.store, 10)).toEqual([])
  expect(await readBacklog(database.store)).toMatchObject({ checks_due: 0, oldest_check_seconds: 0 })
})
