import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { runNow } from '../../../store/monitors/monitor-run-now.ts'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { spendRun } from '../../support/database/spend-run.ts'
import { addSearch, claimIn } from '../../support/database/stored-searches.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
afterEach(async () => {
  await database.setClock('0')
  await database.query('truncate checks, monitors, runs, serp_exits, serp_engines cascade')
})
afterAll(() => database[Symbol.asyncDispose]())

/** Asks for a run of a search as a person does, and lets its engine refuse. */
async function askedAndLeftAlone(team: string, no: number) {
  const { id } = await database.monitor(no)
  const asked = await database.store.transaction((tx) => runNow(tx, team, id, 'serp'))
  expect(asked).toMatchObject({ kind: 'queued', isNew: true })
  await database.query(
    `insert into serp_engines (engine, refusals, refused_until) values ('google', 1, clock() + interval '15 minutes')`,
  )
}

test('a run that a person asked for goes back to what paid for it when its engine is left alone', async () => {
  const team = await database.team({ serp: 4, credits: 5 })
  const no = await addSearch(database, team, { pages: 3, dueSeconds: -300 })
  await database.query('update team_usage set serp_used = 2 where team_id = $1', [team])
  await askedAndLeftAlone(team, no)
  expect(await database.usage(team)).toMatchObject({ serp_used: 4, credits: 4 })
  expect(await claimIn(database)).toMatchObject([{ no }])
  expect(await database.usage(team)).toMatchObject({ serp_used: 2, credits: 5 })
})

test.each([
  ['the pool', {}, { runs_used: 1, credits: 5 }],
  ['the credits', { used: 100 }, { runs_used: 1, credits: 5 }],
])('a run of %s that was paid in a period that is over takes nothing off the next one', async (_, has, left) => {
  const team = await database.team({ runs: 100, credits: 5, ...has })
  const no = await addSearch(database, team, { pages: 3, dueSeconds: -300 })
  await askedAndLeftAlone(team, no)
  await database.query('update team_usage set resets_at = clock(), anchor_at = clock() where team_id = $1', [team])
  await renewPeriods(database.store)
  await spendRun(database.store, team, 'runs')
  expect(await claimIn(database)).toMatchObject([{ no }])
  expect(await database.usage(team)).toMatchObject(left)
})

test('a search that a plan with SERP paid for goes back to its runs after the plan has none', async () => {
  const team = await database.team({ runs: 100, credits: 5 })
  const no = await addSearch(database, team, { pages: 3, dueSeconds: -300 })
  await askedAndLeftAlone(team, no)
  await database.query('update team_usage set serp_limit = 0 where team_id = $1', [team])
  await claimIn(database)
  expect(await database.usage(team)).toMatchObject({ runs_used: 0, serp_used: 0, credits: 5 })
})

test('a check that credits paid for gives them back when its process died and its engine is left alone', async () => {
  const team = await database.team({ runs: 1, credits: 5 })
  const no = await addSearch(database, team, { pages: 3 })
  await claimIn(database)
  expect(await database.usage(team)).toMatchObject({ runs_used: 1, credits: 3 })
  await database.query(
    `insert into serp_engines (engine, refusals, refused_until) values ('google', 1, clock() + interval '15 minutes')`,
  )
  await database.setClock('61 seconds')
  expect(await claimIn(database)).toMatchObject([{ no }])
  expect(await database.usage(team)).toMatchObject({ runs_used: 0, credits: 5 })
})
