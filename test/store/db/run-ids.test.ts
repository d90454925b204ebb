import { expect, test } from 'vitest'
import { runIdMonitor, runIdTime } from '../../../core/run-id.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { monthFloorId, newRunId, RUN_ID_RANDOM, runIdFloor } from '../../support/database/run-ids.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

const TIMES = [0, 1, 1_762_000_000_123, Date.UTC(2026, 1, 28, 23, 59, 59, 999), Date.UTC(2199, 11, 31)]
const NUMBERS = [0, 1, 1023, 1024, 123_456_789, 2 ** 40 - 1]

test('ids made by the store hold what the core reads from them', async () => {
  for (const ms of TIMES)
    for (const no of NUMBERS) {
      const [row] = await database.query<{ id: string }>(
        'select new_run_id(to_timestamp($1::numeric / 1000), $2) as id',
        [ms, no],
      )
      expect([runIdTime(row?.id ?? ''), runIdMonitor(row?.id ?? '')]).toEqual([ms, no])
      expect(row?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
})

test('of an id the store reads the time that it was made from', async () => {
  for (const ms of TIMES)
    for (const no of NUMBERS) {
      const id = newRunId(ms, no, RUN_ID_RANDOM - 1)
      const [row] = await database.query<{ ms: number }>(
        'select (extract(epoch from run_id_time($1)) * 1000)::float8 as ms',
        [id],
      )
      expect(row?.ms).toBe(ms)
    }
})

test('the bounds of an instant and of a month are the same in both', async () => {
  for (const ms of TIMES) {
    const [row] = await database.query<{ floor: string; month: string }>(
      `select run_id_floor(at) as floor, run_id_floor(date_trunc('month', at, 'UTC')) as month from (select ` +
        `to_timestamp($1::numeric / 1000) as at) t`,
      [ms],
    )
    expect(row).toEqual({ floor: runIdFloor(ms), month: monthFloorId(ms) })
  }
})

test('many ids of one monitor in one millisecond differ', async () => {
  const rows = await database.query<{ id: string }>(
    'select new_run_id(to_timestamp(1), 7) as id from generate_series(1, 1000)',
  )
  expect(new Set(rows.map(({ id }) => id)).size).toBe(1000)
})
