import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createMonitorMetrics } from '../../../worker/maintenance/monitor-metrics.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { failTimes } from '../../support/database/check-states.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

const scrape = async (limit: number, store = database.store) => {
  const registry = new Registry()
  createMonitorMetrics(registry, store, limit)
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

/** A run that began and ended so long ago. */
async function ran(no: number | undefined, secondsAgo: number, result: 'success' | 'error') {
  await database.query(
    `with run as (
       insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, extracted, error_code)
       select no, new_run_id(clock() - make_interval(secs => $2), no), team_id, 0, 0, $3::run_status, '{}',
         case when $3 = 'error' then 'internal' end
       from checks where no = $1 returning id
     )
     update checks set reading_id = coalesce(reading_id, run.id), last_run_at = clock() - make_interval(secs => $2)
     from run where no = $1`,
    [no, secondsAgo, result],
  )
}

test('single monitors show their last success, failures and numeric values, up to the limit', async () => {
  const team = await database.team()
  const nos = await database.monitors(team, { count: 3 })
  const [failing = 0, fine = 0] = nos
  await changeMonitors(database, fine, { name: 'The "kettle"\nof \\ Bo' })
  await failTimes(database, failing, 4)
  await ran(fine, 90, 'success')
  // An internal error counts as no failure, and is no success.
  await ran(fine, 10, 'error')
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`n${n}`, n]))
  const values = { price: '$1,299.50', title: 'A kettle', list: ['1', '2'], ...many }
  await database.query(
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
  const away = await database.anotherStore(1)
  await away.end()
  expect(await scrape(10, away)).toEqual([])
})
