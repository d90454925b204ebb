import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openQueueWorld, type QueueWorld } from '../../store/queue/queue-world.ts'
import { createMonitorMetrics } from '../../../worker/maintenance/monitor-metrics.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await openQueueWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const scrape = async (limit: number, store = world.store) => {
  const registry = new Registry()
  createMonitorMetrics(registry, store, limit)
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

test('single monitors show their last success, failures and numeric values, up to the limit', async () => {
  const team = await world.team()
  const nos = await world.monitors(team, { count: 3 })
  const [failing, fine] = nos
  await world.query(`update monitors set name = 'The "kettle"' || chr(10) || 'of \\ Bo' where no = $1`, [fine])
  await world.query(`update checks set failures = 4, last_run_at = clock() where no = $1`, [failing])
  await world.query(
    `update checks set reading_id = gen_random_uuid(), last_run_at = clock() - interval '90 seconds' where no = $1`,
    [fine],
  )
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`n${n}`, n]))
  const values = { price: '$1,299.50', title: 'A kettle', list: ['1', '2'], ...many }
  await world.query(
    `insert into baselines (no, team_id, extracted) values ($1, $2, $3)
     on conflict (no) do update set extracted = excluded.extracted`,
    [fine, team, JSON.stringify(values)],
  )

  const lines = await scrape(2)
  const ofFine = lines.filter((line) => line.includes('kettle'))
  const labels = String.raw`monitor_id="[\da-f-]+",team_id="[\da-f-]+",monitor="The \\"kettle\\"\\nof \\\\ Bo"`
  expect(ofFine[0]).toMatch(new RegExp(String.raw`^tidemark_monitor_last_success_age_seconds\{${labels}\} 9\d`))
  expect(ofFine[1]).toMatch(/^tidemark_monitor_consecutive_failures\{.*\} 0$/)
  expect(ofFine.filter((line) => line.startsWith('tidemark_monitor_value'))).toHaveLength(10)
  expect(ofFine[2]).toMatch(/^tidemark_monitor_value\{.*,field="price"\} 1299.5$/)
  const failures = lines.filter((line) => line.startsWith('tidemark_monitor_consecutive_failures'))
  expect(failures.map((line) => line.split(' ').at(-1))).toEqual(['4', '0'])
  // It never succeeded.
  expect(lines.filter((line) => line.startsWith('tidemark_monitor_last_success'))).toHaveLength(1)
  expect(lines).toContain('tidemark_monitors_left_out 1')
  expect(lines).toContain('tidemark_monitor_values_left_out 3')
})

test('a store that is away leaves them out', async () => {
  const away = await world.anotherStore(1)
  await away.end()
  expect(await scrape(10, away)).toEqual([])
})
