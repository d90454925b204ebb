import { expect, test } from 'vitest'
import { recordReadings, ensurePartitionsOf, ensureRunPartitions } from '../../../store/queue/record-reading.ts'
import { recordUnchanged } from '../../../store/queue/record-unchanged.ts'
import { endLeases, stopChecks } from '../../support/database/check-states.ts'
import { readingRun, unchangedRun } from '../../support/database/finished-runs.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

const partitions = async () =>
  (
    await database.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'runs'::regclass`,
    )
  ).map(({ name }) => name)

/** Moves the clock to this long after the start of the month that is so many months ahead. */
async function toMonth(ahead: number, seconds = 0): Promise<void> {
  const [row] = await database.query<{ offset: string }>(
    `select extract(epoch from (date_trunc('month', now(), 'UTC') at time zone 'UTC' + make_interval(months => $1,
      secs => $2)) at time zone 'UTC' - now())
       || ' seconds' as offset`,
    [ahead, seconds],
  )
  await database.setClock(row?.offset ?? '')
}

test('the first unchanged run of a month stores the reading again; later ones point into their own month', async () => {
  const [no = 0] = await database.monitors(await database.team())
  await toMonth(1)
  await ensureRunPartitions(database.store)
  const round = async () => {
    await endLeases(database, 'all')
    return (await database.claim())[0]
  }
  const first = await round()
  await recordReadings(database.store, [readingRun(first, { price: '1' })])
  await recordUnchanged(database.store, [unchangedRun(await round())])
  await toMonth(2, 5)
  await ensureRunPartitions(database.store)
  const third = await round()
  await recordUnchanged(database.store, [unchangedRun(third)])
  await recordUnchanged(database.store, [unchangedRun(await round())])

  const seen = (await database.runs(no)).map(({ reading_id, extracted }) => ({ reading_id, extracted }))
  expect(seen).toEqual([
    { reading_id: null, extracted: { price: '1' } },
    { reading_id: first?.run_id, extracted: null },
    { reading_id: null, extracted: { price: '1' } },
    { reading_id: third?.run_id, extracted: null },
  ])
  await database.setClock('0')
  await stopChecks(database, 'all')
})

test('a run of a month without a partition is refused, and taken once there is one', async () => {
  await database.monitors(await database.team())
  await toMonth(7)
  const [taken] = await database.claim()
  await expect(recordReadings(database.store, [readingRun(taken, { price: '1' })])).rejects.toMatchObject({
    cause: { code: '23514' },
  })
  // Its month, not the one that the clock has moved to since.
  await toMonth(9)
  await ensurePartitionsOf(database.store, [taken?.run_id ?? '', taken?.run_id ?? ''])
  expect((await recordReadings(database.store, [readingRun(taken, { price: '1' })])).size).toBe(1)
  await database.setClock('0')
})

test('partitions are made once by programs that ask at once, three days ahead of need', async () => {
  const before = await partitions()
  await toMonth(12, -2 * 86_400)
  await Promise.all(Array.from({ length: 8 }, () => ensureRunPartitions(database.store)))
  const made = (await partitions()).filter((name) => !before.includes(name))
  expect(made).toHaveLength(2)
  await ensureRunPartitions(database.store)
  expect(await partitions()).toHaveLength(before.length + 2)
  await database.setClock('0')
})
