import { expect, test } from 'vitest'
import { runNow } from '../../../store/monitors/monitor-run-now.ts'
import { renewPeriods, restUsedUp } from '../../../store/quota/pool.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

/** A team without runs, whose period ends in an hour, and its due checks. */
async function without(count = 3) {
  const team = await database.team({ runs: 5, used: 5 })
  await database.query(`update team_usage set resets_at = clock() + interval '1 hour' where team_id = $1`, [team])
  return { team, nos: await database.monitors(team, { count, dueSeconds: 30 }) }
}
const due = async (team: string) =>
  (
    await database.query<{ count: number }>(
      'select count(*)::int as count from checks where team_id = $1 and due_at <= clock()',
      [team],
    )
  )[0]?.count

test('due checks of a team without runs rest until its period ends, so that no claim looks at them', async () => {
  const { team, nos } = await without()
  await restUsedUp(database.store)
  expect(await due(team)).toBe(0)
  const { due_ms: at, now_ms: now, next_ms: next } = await database.check(nos[0] ?? 0)
  expect(Math.abs((at ?? 0) - now - 3_600_000)).toBeLessThan(60_000)
  // The nominal time stays: the check keeps its place in the schedule.
  expect(next).toBeLessThan(now)
})

test.each([
  ['credits', 'credits = 2'],
  ['a larger plan', 'runs_limit = 100'],
  ['a plan without limits', 'runs_limit = null'],
])('%s wake them at once', async (_, change) => {
  const { team } = await without()
  await restUsedUp(database.store)
  await database.query(`update team_usage set ${change} where team_id = $1`, [team])
  expect(await due(team)).toBe(3)
  await restUsedUp(database.store)
  expect(await due(team)).toBe(3)
})

test('a new period wakes them', async () => {
  const { team } = await without()
  await restUsedUp(database.store)
  await database.query(`update team_usage set resets_at = clock() - interval '1 second' where team_id = $1`, [team])
  await renewPeriods(database.store)
  expect(await due(team)).toBe(3)
})

test('a run that was paid before the runs were gone is left due, and so is one under way', async () => {
  const { team, nos } = await without(2)
  const [no = 0] = nos
  await database.query('update team_usage set credits = 1 where team_id = $1', [team])
  const [monitor] = await database.query<{ id: string }>('select id from monitors where no = $1', [no])
  expect(await database.store.transaction((tx) => runNow(tx, team, monitor?.id ?? '', 'page'))).toMatchObject({
    kind: 'queued',
  })
  await restUsedUp(database.store)
  expect(await due(team)).toBe(1)
  expect((await database.claim()).map((check) => check.no)).toContain(no)
})

test('a team of another pool is left alone: visual runs of a trial that are gone stop visual checks only', async () => {
  const team = await database.team({ runs: 100, visual: 5 })
  await database.query('update team_usage set visual_used = 5 where team_id = $1', [team])
  await database.monitors(team, { count: 2, dueSeconds: 30 })
  await database.monitors(team, { queue: 'visual', dueSeconds: 30 })
  await restUsedUp(database.store)
  expect(await due(team)).toBe(2)
})
