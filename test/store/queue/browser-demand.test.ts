import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRunnerToken } from '../../../store/accounts/credentials/runner-tokens.ts'
import { browserDemand } from '../../../store/queue/browser-demand.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { addSearch, leaveAlone } from '../../support/database/stored-searches.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
beforeEach(() => database.query('delete from checks'))
afterAll(() => database[Symbol.asyncDispose]())

const demand = (most = 100) => browserDemand(database.store, most)

test('checks that need a browser count when they are due, and static ones never', async () => {
  const team = await database.team()
  await database.monitors(team, { queue: 'static', count: 4 })
  await database.monitors(team, { queue: 'browser', count: 3 })
  await database.monitors(team, { queue: 'visual', count: 2 })
  await database.monitors(team, { queue: 'browser', count: 5, dueSeconds: -60 })
  expect(await demand()).toEqual({ due: 5, leased: 0 })
  expect(await demand(4)).toEqual({ due: 4, leased: 0 })
})

test('checks that their team cannot pay for do not count, unless they are paid', async () => {
  const team = await database.team({ runs: 1, used: 1 })
  const [no] = await database.monitors(team, { queue: 'browser', count: 3 })
  expect(await demand()).toEqual({ due: 0, leased: 0 })
  await database.query('update checks set queued_run_id = uuid_v7(clock()) where no = $1', [no])
  expect(await demand()).toEqual({ due: 1, leased: 0 })
})

test('what runners have leased counts until the lease ends, and what workers do does not', async () => {
  const team = await database.team()
  await database.monitors(team, { queue: 'browser', count: 3 })
  const { id } = await createRunnerToken(database.store, { job: 'a', ttlSeconds: 900 })
  expect(await database.claim({ queue: 'browser', limit: 2, holder: id })).toHaveLength(2)
  expect(await demand()).toEqual({ due: 1, leased: 2 })
  expect(await database.claim({ queue: 'browser', limit: 2 })).toHaveLength(1)
  expect(await demand()).toEqual({ due: 0, leased: 2 })
  await database.setClock('70 seconds')
  expect(await demand()).toEqual({ due: 3, leased: 0 })
  await database.setClock('0')
})

test('of many searches, one of each engine counts, and none of an engine that is left alone', async () => {
  const team = await database.team({ serp: 1_000 })
  for (const engine of ['bing', 'bing', 'bing', 'duckduckgo'] as const) await addSearch(database, team, { engine })
  expect(await demand()).toEqual({ due: 2, leased: 0 })
  await leaveAlone(database, 'bing')
  expect(await demand()).toEqual({ due: 1, leased: 0 })
  await database.setClock('16 minutes')
  expect(await demand()).toEqual({ due: 2, leased: 0 })
  await database.setClock('0')
})
