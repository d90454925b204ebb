import { expect, test } from 'vitest'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { addCredits } from '../../../store/quota/usage.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { spendRun } from '../../support/database/spend-run.ts'
import { addSearch, claimIn } from '../../support/database/stored-searches.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

const reported = async (team: string) =>
  (
    await database.query<{ detail: { pool: string; threshold_pct: number; used: number; credits_remaining: number } }>(
      `select detail from notice_events where team_id = $1 and kind = 'quota' order by created_at`,
      [team],
    )
  ).map(({ detail: { pool, threshold_pct: level, used, credits_remaining: credits } }) => [pool, level, used, credits])

test('a claim that passes 80 and 100 percent of the runs writes each down once, whoever spends', async () => {
  const team = await database.team({ runs: 10, used: 6 })
  await database.monitors(team, { count: 3 })
  await database.claim({ limit: 1, perTeam: 1 })
  expect(await reported(team)).toEqual([])
  await database.claim({ limit: 1, perTeam: 1 })
  expect(await reported(team)).toEqual([['runs', 80, 8, 0]])
  await spendRun(database.store, team, 'runs', 1)
  await spendRun(database.store, team, 'runs', 1)
  expect(await reported(team)).toEqual([
    ['runs', 80, 8, 0],
    ['runs', 100, 10, 0],
  ])
  expect(await spendRun(database.store, team, 'runs', 1)).toMatchObject({ kind: 'used_up' })
  expect(await reported(team)).toHaveLength(2)
})

test('credits that are gone after the pool are written down too', async () => {
  const team = await database.team({ runs: 10, used: 9, credits: 2 })
  await spendRun(database.store, team, 'runs', 1)
  await spendRun(database.store, team, 'runs', 2)
  expect(await reported(team)).toEqual([
    ['runs', 100, 10, 2],
    ['runs', 100, 10, 0],
  ])
})

test('each pool of a trial is reported by itself; a team without a limit gets no notice', async () => {
  const trial = await database.team({ runs: 100, visual: 5, used: 0 })
  await spendRun(database.store, trial, 'visual', 4)
  expect(await reported(trial)).toEqual([['visual', 80, 4, 0]])
  const free = await database.team()
  await database.query('update team_usage set runs_limit = null where team_id = $1', [free])
  await spendRun(database.store, free, 'runs', 1_000)
  expect(await reported(free)).toEqual([])
})

test('a smaller plan is reported at once, and a new period reports again', async () => {
  const team = await database.team({ runs: 100, used: 50 })
  await database.query(
    `update team_usage set runs_limit = 60, resets_at = clock() - interval '1 second' where team_id = $1`,
    [team],
  )
  expect(await reported(team)).toEqual([['runs', 80, 50, 0]])
  await renewPeriods(database.store)
  await spendRun(database.store, team, 'runs', 48)
  expect(await reported(team)).toEqual([
    ['runs', 80, 50, 0],
    ['runs', 80, 48, 0],
  ])
})

test('a larger plan in the same period is reported again, and so are credits that were bought again', async () => {
  const team = await database.team({ runs: 10, used: 9, credits: 1 })
  await spendRun(database.store, team, 'runs', 1)
  await spendRun(database.store, team, 'runs', 1)
  await database.query('update team_usage set credits = 1 where team_id = $1', [team])
  await spendRun(database.store, team, 'runs', 1)
  await database.query('update team_usage set runs_limit = 20 where team_id = $1', [team])
  await spendRun(database.store, team, 'runs', 10)
  expect(await reported(team)).toEqual([
    ['runs', 100, 10, 1],
    ['runs', 100, 10, 0],
    ['runs', 100, 10, 0],
    ['runs', 100, 20, 0],
  ])
})

test('a pool that passes 80 and 100 percent at once reports only that all of it is used', async () => {
  const team = await database.team({ runs: 10, used: 5 })
  await spendRun(database.store, team, 'runs', 5)
  expect(await reported(team)).toEqual([['runs', 100, 10, 0]])
})

test('runs that are too few for a search are reported once, and again after a purchase of credits', async () => {
  const team = await database.team({ runs: 10, used: 7 })
  await addSearch(database, team, { pages: 5, interval: 600 })
  await addSearch(database, team, { pages: 4, interval: 600 })
  const short = async () =>
    (
      await database.query<{ detail: unknown }>(
        `select detail from notice_events where team_id = $1 and detail ? 'needs' order by created_at`,
        [team],
      )
    ).map(({ detail }) => detail)
  const first = { pool: 'runs', threshold_pct: 100, used: 7, limit: 10, credits_remaining: 0, needs: 4 }
  await claimIn(database)
  expect(await short()).toMatchObject([first])
  await database.setClock('11 minutes')
  await claimIn(database)
  expect(await short()).toHaveLength(1)
  await database.store.transaction((tx) => addCredits(tx, team, 1))
  await spendRun(database.store, team, 'runs', 1)
  await database.setClock('22 minutes')
  await claimIn(database)
  expect(await short()).toMatchObject([first, { used: 8, credits_remaining: 1, needs: 4 }])
  // Without any run left, it is the pool that is reported.
  const other = await database.team({ runs: 10, used: 10 })
  await addSearch(database, other, { pages: 5 })
  await claimIn(database)
  expect(await reported(other)).toEqual([])
  await database.setClock('0')
})
