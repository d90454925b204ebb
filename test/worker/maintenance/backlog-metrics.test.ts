import { Registry } from 'prom-client'
import { sql } from 'slonik'
import { expect, test } from 'vitest'
import { nothing } from '../../../store/db/row.ts'
import { createBacklogMetrics } from '../../../worker/maintenance/backlog-metrics.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

const scrape = async (store = database.store): Promise<Record<string, number>> => {
  const registry = new Registry()
  createBacklogMetrics(registry, store)
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name = '', value]) => [name, Number(value)]))
}

test('metrics tell what waits in the store: nothing, then all that is due, late, waiting and given up', async () => {
  expect(await scrape()).toEqual({
    tidemark_checks_due: 0,
    tidemark_checks_oldest_due_seconds: 0,
    tidemark_checks_without_browser: 0,
    tidemark_checks_above_level: 0,
    tidemark_deliveries_above_level: 0,
    tidemark_deliveries_waiting: 0,
    tidemark_deliveries_due: 0,
    tidemark_deliveries_oldest_due_seconds: 0,
    tidemark_deliveries_given_up_last_day: 0,
    tidemark_deliveries_dead_last_day: 0,
    tidemark_previews_waiting: 0,
    tidemark_teams_near_run_limit: 0,
    tidemark_teams_out_of_runs: 0,
    tidemark_teams_trial_over: 0,
  })
  // Four fifths of the runs of one of these are used.
  for (const used of [79, 80]) await database.team({ runs: 100, used })
  const [one, other, spent] = [await database.team(), await database.team(), await database.team({ runs: 1, used: 1 })]
  await database.query(`update teams set tier = 'free', trial_ends_at = clock() where id = $1`, [await database.team()])
  await database.monitors(one, { count: 3, dueSeconds: 100 })
  await database.monitors(one, { count: 2, dueSeconds: -100 })
  await database.monitors(other, { queue: 'visual', dueSeconds: 500 })
  // Not late, but without a quota.
  await database.monitors(spent, { dueSeconds: 90_000 })
  await database.store.query(sql.type(nothing)`
    insert into deliveries (id, team_id, monitor_no, run_id, type, target, host, payload, status, due_at,
      last_attempt_at, next_attempt_at)
    select gen_random_uuid(), ${one}::uuid, 1, gen_random_uuid(), 'webhook', '', 'a:443', '{}', status,
      clock() - make_interval(secs => due), clock() - make_interval(secs => last), clock() - make_interval(secs => due)
    from (values ('pending', 50, null), ('pending', -300, 60), ('success', null, 60), ('dead', null, 3600), ('dead',
      null, 90000), ('failed', null, 3600), ('failed', null, 90000), ('failed', -300, 3600))
      given (status, due, last)`)

  const seen = await scrape()
  expect(seen).toMatchObject({
    tidemark_checks_due: 4,
    tidemark_deliveries_waiting: 3,
    tidemark_deliveries_due: 1,
    tidemark_deliveries_given_up_last_day: 2,
    tidemark_deliveries_dead_last_day: 1,
    tidemark_teams_near_run_limit: 1,
    tidemark_teams_out_of_runs: 1,
    tidemark_teams_trial_over: 1,
  })
  expect(seen['tidemark_checks_oldest_due_seconds']).toBeCloseTo(500, -2)
  expect(seen['tidemark_deliveries_oldest_due_seconds']).toBeCloseTo(50, -2)
  await database.claim()
  expect(await scrape()).toMatchObject({ tidemark_checks_due: 1 })
})

test('metrics of a store that is away are left out, and none is wrong', async () => {
  const away = await database.anotherStore(1)
  await away.end()
  expect(await scrape(away)).toEqual({})
})
