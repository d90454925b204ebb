import { afterAll, beforeAll, expect, test } from 'vitest'
import { runNow } from '../../../store/monitors/monitor-run-now.ts'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { takeModelCall } from '../../../store/quota/prompt-quota.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { spendRun } from '../../support/database/spend-run.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
  await database.query('create table standing_clock as select now() as at')
  await database.query(
    `create or replace function clock() returns timestamptz language sql stable as 'select at from standing_clock'`,
  )
})
afterAll(() => database[Symbol.asyncDispose]())

async function team(resetsAt: string | null): Promise<string> {
  const id = await database.team({ used: 40, visual: 10, serp: 10, credits: 3 })
  await database.query(
    `update team_usage set resets_at = $2, visual_used = 5, serp_used = 6, period_start = '2026-01-01Z' where ` +
      `team_id = $1`,
    [id, resetsAt],
  )
  return id
}

async function at(now: string, id: string): Promise<unknown> {
  await database.query('update standing_clock set at = $1', [now])
  await renewPeriods(database.store)
  const [row] = await database.query<{ from: Date; to: Date | null; used: number }>(
    'select period_start as from, resets_at as to, (runs_used + visual_used + serp_used)::int as used from ' +
      'team_usage where team_id = $1',
    [id],
  )
  return [row?.from.toISOString().slice(0, 16), row?.to?.toISOString().slice(0, 16) ?? null, row?.used]
}

test('a period that has ended is followed by the next month, with nothing used and the credits kept', async () => {
  const id = await team('2026-03-10T08:30Z')
  expect(await at('2026-03-10T08:29:59Z', id)).toEqual(['2026-01-01T00:00', '2026-03-10T08:30', 51])
  expect(await at('2026-03-10T08:30Z', id)).toEqual(['2026-03-10T08:30', '2026-04-10T08:30', 0])
  expect(await database.usage(id)).toMatchObject({ credits: 3 })
})

test('months in which nobody looked are passed over: now lies inside the new period', async () => {
  const id = await team('2026-03-10T08:30Z')
  expect(await at('2026-08-02T00:00Z', id)).toEqual(['2026-07-10T08:30', '2026-08-10T08:30', 0])
})

test('a period that ends on a 31st ends on the last day of a shorter month, and on the 31st after it', async () => {
  const id = await team('2026-01-31T12:00Z')
  expect(await at('2026-01-31T12:00Z', id)).toEqual(['2026-01-31T12:00', '2026-02-28T12:00', 0])
  expect(await at('2026-02-28T13:00Z', id)).toEqual(['2026-02-28T12:00', '2026-03-31T12:00', 0])
  expect(await at('2026-03-31T12:00Z', id)).toEqual(['2026-03-31T12:00', '2026-04-30T12:00', 0])
  expect(await at('2028-02-20T00:00Z', id)).toEqual(['2028-01-31T12:00', '2028-02-29T12:00', 0])
  expect(await at('2028-02-29T12:00Z', id)).toEqual(['2028-02-29T12:00', '2028-03-31T12:00', 0])
})

test('a look at the very end of a skipped short month still lands inside the period', async () => {
  const id = await team('2026-01-31T00:00Z')
  expect(await at('2026-02-28T12:00Z', id)).toEqual(['2026-02-28T00:00', '2026-03-31T00:00', 0])
})

test('a pool that nothing renews is let be', async () => {
  const id = await team(null)
  expect(await at('2030-01-01T00:00Z', id)).toEqual(['2026-01-01T00:00', null, 51])
})

test('programs that renew at once add one month between them', async () => {
  const id = await team('2031-03-10T08:30Z')
  await database.query(`update standing_clock set at = '2031-03-11Z'`)
  await Promise.all(Array.from({ length: 6 }, () => renewPeriods(database.store)))
  expect(await at('2031-03-11T00:00Z', id)).toEqual(['2031-03-10T08:30', '2031-04-10T08:30', 0])
})

test('what is due at the end of a period is paid from the next one, and by no credits', async () => {
  const end = '2032-03-10T08:30Z'
  const id = await database.team({ runs: 40, used: 40, credits: 3 })
  await database.query('update standing_clock set at = $1', [end])
  await database.query('update team_usage set resets_at = $2 where team_id = $1', [id, end])
  const [no] = await database.monitors(id)
  expect(await database.claim()).toEqual([])
  await renewPeriods(database.store)
  expect(await database.claim()).toMatchObject([{ no }])
  expect(await database.usage(id)).toMatchObject({ runs_used: 1, credits: 3 })
})

test('a run or a call of the model that is asked for at the end of a period begins the next one itself', async () => {
  const end = '2033-03-10T08:30Z'
  const id = await database.team({ runs: 40, used: 40, credits: 3 })
  await database.query('update standing_clock set at = $1', [end])
  const ended = () =>
    database.query('update team_usage set resets_at = $2, runs_used = 40, llm_calls_used = 9 where team_id = $1', [
      id,
      end,
    ])
  await ended()
  expect(await spendRun(database.store, id, 'runs')).toMatchObject({ kind: 'spent' })
  expect(await database.usage(id)).toMatchObject({ runs_used: 1, credits: 3 })
  const [no] = await database.monitors(id, { dueSeconds: -3600 })
  await ended()
  const [monitor] = await database.query<{ id: string }>('select id from monitors where no = $1', [no])
  const asked = await database.store.transaction((tx) => runNow(tx, id, monitor?.id ?? '', 'page'))
  expect(asked).toMatchObject({ kind: 'queued', isNew: true })
  expect(await database.usage(id)).toMatchObject({ runs_used: 1, credits: 3 })
  await ended()
  expect(await takeModelCall(database.store, id)).toMatchObject({ kind: 'taken' })
  const [usage] = await database.query('select llm_calls_used::int as calls from team_usage where team_id = $1', [id])
  expect(usage).toEqual({ calls: 1 })
})
