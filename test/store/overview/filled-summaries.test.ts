import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'

/** The part of the migration that fills in what was recorded before it. */
let fill: string
let database: QueueDatabase
beforeAll(async () => {
  const file = new URL('../../../store/migrations/000031-overview.sql', import.meta.url)
  const text = await readFile(file, 'utf8')
  fill = text.slice(text.indexOf('create function filled_text'))
  database = await openQueueDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

/** A monitor as the version before left it: a reading, and a run that differed. */
async function monitor(extracted: string, diff: string | null): Promise<number> {
  const team = await database.team()
  const [no = 0] = await database.monitors(team)
  await database.query(
    `with r as (
       insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, extracted, diff)
       values ($1, new_run_id('2026-05-01T12:00:00Z', $1), $2, 10, 20, 'success', $3, $4) returning id
     ), b as (insert into baselines (no, team_id, extracted) values ($1, $2, $3))
     update checks set reading_id = (select id from r) where no = $1`,
    [no, team, extracted, diff],
  )
  return no
}

test('a migration fills in the values and changes that it can show', async () => {
  await database.query(`select ensure_run_partition('2026-05-01T12:00:00Z')`)
  const values = { price: '  $1\n00  ', list: [1] }
  const diff = {
    fields_changed: ['price', 'list'],
    before: { price: 1, list: [] },
    after: { price: '$1 00', list: [1] },
  }
  const whole = await monitor(JSON.stringify(values), JSON.stringify(diff))
  const silent = await monitor('{"list": [1], "is_new": true, "x": 1}', null)
  const escapes = await monitor(
    '{"a": "\\u0000"}',
    '{"fields_changed": ["a"], "before": {"a": "\\ud800"}, "after": {}}',
  )
  const large = await monitor(JSON.stringify({ a: 'x'.repeat(100_000) }), null)
  await database.query(fill)
  const summaryOf = async (no: number) => {
    const [row] = await database.query<{ summary: object; changed: boolean }>(
      `select b.summary, c.last_change_id is not null as changed from checks c join baselines b on b.no = c.no
       where c.no = $1`,
      [no],
    )
    return row
  }
  const change = { run_id: expect.any(String), at: '2026-05-01T12:00:00.030Z' }
  expect(await summaryOf(whole)).toEqual({
    changed: true,
    summary: {
      value: { field: 'price', text: '$1 00' },
      change: { ...change, field: 'price', before: '1', after: '$1 00', more: 1 },
      spark: null,
    },
  })
  expect(await summaryOf(silent)).toEqual({
    changed: false,
    summary: { value: { field: 'is_new', text: 'true' }, change: null, spark: null },
  })
  expect(await summaryOf(escapes)).toEqual({
    changed: true,
    summary: { value: null, change: { ...change, field: '', before: null, after: null, more: 0 }, spark: null },
  })
  expect(await summaryOf(large)).toEqual({ changed: false, summary: { value: null, change: null, spark: null } })
})

test('no index has the last change, so that the update of a check touches none', async () => {
  const indexed = await database.query(
    `select indexdef from pg_indexes where tablename = 'checks' and indexdef like '%last_change_id%'`,
  )
  expect(indexed).toEqual([])
})
