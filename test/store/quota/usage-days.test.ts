import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UsageDays, UsageMonitors } from '../../../schema/account/usage-days.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { countUsageDays, noteUsageStarts, readUsageDays, readUsageMonitors } from '../../../store/quota/usage-days.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { setRuns } from '../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
  await database.query('create table standing_clock as select now() as at')
  await database.query(
    `create or replace function clock() returns timestamptz language sql stable as 'select at from standing_clock'`,
  )
})
afterAll(() => database[Symbol.asyncDispose]())

const at = (now: string) => database.query('update standing_clock set at = $1', [now])

/** A team that began on a day, with what it uses. */
async function team(began: string) {
  await at(began)
  const id = await database.team()
  const use = (set: string) => database.query(`update team_usage set ${set} where team_id = $1`, [id])
  await use(`period_start = '${began}', anchor_at = '${began}', resets_at = '2026-04-10T08:30Z'`)
  return { id, use }
}

const daysOf = async (id: string, count: number) => {
  const { data, since } = await readUsageDays(database.store, id, count)
  expect(checkerOf(UsageDays).validate({ data, known_from: since }).ok).toBe(true)
  return data
}

describe('what a team used by day', () => {
  test('is what its counters grew by since the last look, of each kind, and nothing twice', async () => {
    const { id, use } = await team('2026-03-10T08:30Z')
    await use('runs_used = 7, llm_calls_used = 2, proxy_bytes_used = 1000')
    await countUsageDays(database.store)
    await countUsageDays(database.store)
    await at('2026-03-11T09:30Z')
    await use('runs_used = 10, visual_used = 4, serp_used = 5, screenshot_bytes_used = 99')
    await countUsageDays(database.store)
    const none = { visual_runs: 0, serp_runs: 0, credit_runs: 0, llm_calls: 0, picture_bytes: 0, proxy_bytes: 0 }
    expect(await daysOf(id, 3)).toEqual([
      { ...none, day: '2026-03-09', runs: 0 },
      { ...none, day: '2026-03-10', runs: 7, llm_calls: 2, proxy_bytes: 1000 },
      { ...none, day: '2026-03-11', runs: 3, visual_runs: 4, serp_runs: 5, picture_bytes: 99 },
    ])
  })

  test('begins anew with a period, and runs that were given back take nothing from a day', async () => {
    const { id, use } = await team('2026-03-10T08:30Z')
    await use('runs_used = 20')
    await countUsageDays(database.store)
    await use('runs_used = 18')
    await countUsageDays(database.store)
    await use('runs_used = 24')
    await countUsageDays(database.store)
    await at('2026-04-10T08:31Z')
    await renewPeriods(database.store)
    await use('runs_used = 25')
    await countUsageDays(database.store)
    const runs = (await daysOf(id, 32)).filter(({ runs: used }) => used > 0)
    expect(runs.map(({ day, runs: used }) => [day, used])).toEqual([
      ['2026-03-10', 24],
      ['2026-04-10', 25],
    ])
  })

  test('has the runs that credits paid for, also on a day on which some were bought', async () => {
    const { id, use } = await team('2026-03-10T08:30Z')
    await use('credits = 100, credits_given = 100')
    await countUsageDays(database.store)
    await use('credits = 140, credits_given = 150')
    await countUsageDays(database.store)
    expect((await daysOf(id, 1))[0]).toMatchObject({ credit_runs: 10 })
  })

  test('is counted once where several processes look at the same time', async () => {
    const { id, use } = await team('2026-03-10T08:30Z')
    await countUsageDays(database.store)
    const looks = Array.from({ length: 30 }, async (_, nth) => {
      await use(`runs_used = ${nth + 1}`)
      await countUsageDays(database.store)
    })
    await Promise.all(looks)
    await use('runs_used = 31')
    await countUsageDays(database.store)
    expect((await daysOf(id, 1))[0]).toMatchObject({ runs: 31 })
  })

  test('is kept for 400 days', async () => {
    const { id, use } = await team('2026-03-10T08:30Z')
    await use('runs_used = 9')
    await countUsageDays(database.store)
    await at('2027-04-14T12:00Z')
    await countUsageDays(database.store)
    expect((await daysOf(id, 400))[0]).toMatchObject({ day: '2026-03-11', runs: 0 })
    expect(await database.query('select from usage_days where team_id = $1', [id])).toEqual([])
  })
})

test('the monitors that use most are those of the period, at their cost, and all others are one number', async () => {
  const { id, use } = await team('2026-03-10T08:30Z')
  const [first = 0, second = 0, third = 0] = await database.monitors(id, { count: 3 })
  const ran = (no: number, total: number, cost = 1) => setRuns(database, no, total, cost)
  await ran(first, 10)
  await countUsageDays(database.store)
  await at('2026-04-10T08:31Z')
  await renewPeriods(database.store)
  await use('runs_used = 1')
  await countUsageDays(database.store)
  await noteUsageStarts(database.store, new AbortController().signal)
  await ran(first, 12)
  await ran(second, 5, 3)
  await ran(third, 1)
  const found = await readUsageMonitors(database.store, id, 2)
  expect(checkerOf(UsageMonitors).validate(found).ok).toBe(true)
  expect(found.data.map(({ runs }) => runs)).toEqual([15, 2])
  expect(found).toMatchObject({ others: 1, from: '2026-04-10T08:31:00.000Z' })
  await changeMonitors(database, [first, second, third], { deletedAt: '2026-04-11T00:00Z' })
  expect(await readUsageMonitors(database.store, id, 2)).toMatchObject({ data: [], others: 18 })
})
