import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordFailed } from '../../../store/queue/record-failed.ts'
import { recordUnchanged } from '../../../store/queue/record-unchanged.ts'
import { stopChecks } from '../../support/database/check-states.ts'
import { failedRun, unchangedRun } from '../../support/database/finished-runs.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { scheduleExamples } from './schedule-examples.ts'

let database: QueueDatabase
let team: string
beforeAll(async () => {
  database = await openQueueDatabase()
  team = await database.team()
  // The clock stands still at the time of the example, so that the statements' own arithmetic is compared to the
  // millisecond.
  await database.query('create table standing_clock as select now() as at')
  await database.query(
    `create or replace function clock() returns timestamptz language sql stable as 'select at from standing_clock'`,
  )
})
afterAll(() => database[Symbol.asyncDispose]())

test.for(scheduleExamples)('the store schedules the next check: $title', async ({ input, next }) => {
  const [no = 0] = await database.monitors(team, { interval: input.intervalSeconds, shift: input.shiftSeconds })
  const [taken] = await database.claim()
  await database.query('update standing_clock set at = to_timestamp($1 / 1000.0)', [input.now])
  await database.query(
    `update checks set next_run_at = to_timestamp($2::float8 / 1000), failures = $3, last_run_at = case when $4 ` +
      `then null else clock() end where no = $1`,
    [no, input.scheduledFor, Math.max(0, input.failures - 1), input.firstRun],
  )
  if (input.failures > 0) await recordFailed(database.store, [failedRun(taken, { retry_after_ms: input.retryAfterMs })])
  else await recordUnchanged(database.store, [unchangedRun(taken)])

  const seen = await database.check(no)
  expect([seen.next_ms, seen.due_ms]).toEqual([next, next])
  await stopChecks(database, 'all')
  await database.query('update standing_clock set at = now()')
})

test('the next time lies ahead of now, by at most one interval and a shift, on the grid', async () => {
  const nominal = Date.UTC(2026, 4, 1, 12)
  const input = fc.record({
    late: fc.integer({ min: 0, max: 10 ** 12 }),
    interval: fc.integer({ min: 60, max: 31_536_000 }),
    shift: fc.integer({ min: 0, max: 30 }),
    first: fc.boolean(),
  })
  const inputs = fc.sample(input, 1_000)
  const rows = await database.query<{ ms: number }>(
    `select (extract(epoch from next_run(to_timestamp($1::float8 / 1000), to_timestamp(($1 + i.late) / 1000),
      i.interval, i.shift, i.first))
       * 1000)::float8 as ms
     from unnest($2::float8[], $3::int[], $4::int[], $5::bool[]) with ordinality as i (late, interval, shift, first,
       place)
     order by i.place`,
    [
      nominal,
      inputs.map(({ late }) => late),
      inputs.map(({ interval }) => interval),
      inputs.map(({ shift }) => shift),
      inputs.map(({ first }) => first),
    ],
  )
  expect(rows).toHaveLength(inputs.length)
  for (const [place, { late, interval, shift, first }] of inputs.entries()) {
    const ahead = (rows[place]?.ms ?? 0) - nominal - late
    expect(ahead).toBeGreaterThan(0)
    expect(ahead).toBeLessThanOrEqual((interval + (first ? shift : 0)) * 1000)
    expect((ahead + late - (first ? shift * 1000 : 0)) % (interval * 1000)).toBe(0)
  }
})

test('the next time is computed by the statement itself, without a call of a function for each run', async () => {
  const plan = await database.query<{ 'QUERY PLAN': string }>(
    `explain (verbose, costs off)
     select next_run(next_run_at, statement_timestamp(), interval_seconds, shift_seconds, last_run_at is null)
     from checks`,
  )
  const text = plan.map((line) => line['QUERY PLAN']).join('\n')
  expect(text).toContain('make_interval')
  expect(text).not.toContain('next_run(')
})
