import { afterAll, beforeAll, expect, test } from 'vitest'
import { scheduleExamples } from '../../../core/schedule-examples.ts'
import { recordFailed } from '../../../store/queue/record-failed.ts'
import { recordUnchanged } from '../../../store/queue/record-unchanged.ts'
import { failedRun, unchangedRun } from './finished-runs.ts'
import { openQueueWorld, type QueueWorld } from './queue-world.ts'

let world: QueueWorld
let team: string
beforeAll(async () => {
  world = await openQueueWorld()
  team = await world.team()
  // The clock stands still at the time of the example, so that the statements' own arithmetic is compared to the
  // millisecond.
  await world.query('create table standing_clock as select now() as at')
  await world.query(
    `create or replace function clock() returns timestamptz language sql stable as 'select at from standing_clock'`,
  )
})
afterAll(() => world[Symbol.asyncDispose]())

test.for(scheduleExamples)('The store schedules as the core does: $title', async ({ input, next }) => {
  const [no = 0] = await world.monitors(team, { interval: input.intervalSeconds, shift: input.shiftSeconds })
  const [taken] = await world.claim()
  await world.query('update standing_clock set at = to_timestamp($1 / 1000.0)', [input.now])
  await world.query(
    `update checks set next_run_at = to_timestamp($2::float8 / 1000), failures = $3, last_run_at = case when $4 ` +
      `then null else clock() end where no = $1`,
    [no, input.scheduledFor, Math.max(0, input.failures - 1), input.firstRun],
  )
  if (input.failures > 0) await recordFailed(world.store, [failedRun(taken, { retry_after_ms: input.retryAfterMs })])
  else await recordUnchanged(world.store, [unchangedRun(taken)])

  const seen = await world.check(no)
  expect([seen.next_ms, seen.due_ms]).toEqual([next, next])
  await world.query('update checks set due_at = null')
  await world.query('update standing_clock set at = now()')
})
