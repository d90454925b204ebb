import { expect, test } from 'vitest'
import { recordFailed } from '../../../store/queue/record-failed.ts'
import { recordReadings } from '../../../store/queue/record-reading.ts'
import { recordUnchanged } from '../../../store/queue/record-unchanged.ts'
import { countChangedRuns } from '../../../store/runs/changed-runs.ts'
import { toRun } from '../../../store/runs/run-record.ts'
import { countRuns, findRun, listRuns } from '../../../store/runs/runs.ts'
import { failedRun, readingRun, unchangedRun } from '../../support/database/finished-runs.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { newRunId } from '../../support/database/run-ids.ts'
import { addSearch } from '../../support/database/stored-searches.ts'
import { shared } from '../../support/run/shared.ts'
import { create } from '../monitors/stored-monitors.ts'

const database = shared(openQueueDatabase)

const claimOne = async (no: number) => {
  await database.makeDue()
  return (await database.claim()).find((one) => one.no === no)
}
const all = (teamId: string, monitorId: string, more = {}) =>
  listRuns(database.store, { kind: 'page', teamId, monitorId, limit: 20, offset: 0, ...more })

test('runs of every kind are listed newest first, and an unchanged one has the values that it points at', async () => {
  const team = await database.team()
  const { id, no } = await create(database, team)
  const first = await claimOne(no)
  await recordReadings(database.store, [readingRun(first, { price: '1' })])
  const second = await claimOne(no)
  await recordUnchanged(database.store, [unchangedRun(second)])
  const third = await claimOne(no)
  await recordFailed(database.store, [failedRun(third)])
  const fourth = await claimOne(no)
  const rows = await all(team, id)
  expect(rows.map((row) => [row.id, row.status, toRun(row).extracted])).toEqual([
    [fourth?.run_id, 'running', {}],
    [third?.run_id, 'error', {}],
    [second?.run_id, 'success', { price: '1' }],
    [first?.run_id, 'success', { price: '1' }],
  ])
  expect(await countRuns(database.store, team, id, 'page')).toBe(4)
  expect(await all(team, id, { limit: 1, offset: 1 })).toMatchObject([
    { id: rows[1]?.id, extracted: rows[1]?.extracted },
  ])
  expect(await all(team, id, { limit: 2, offset: 3 })).toMatchObject([
    { id: rows[3]?.id, extracted: rows[3]?.extracted },
  ])
  expect(await all(team, id, { limit: 2, offset: 4 })).toEqual([])
  expect(toRun(rows[1]!)).toMatchObject({ error_code: 'http_status', error_message: 'The page answered 500.' })
})

test('runs of several months are one list, and retention cuts it without counting what is kept', async () => {
  const team = await database.team()
  const { id, no } = await create(database, team)
  const ages = [0, 20, 40, 60, 80, 100, 729, 731, 800]
  const ids: string[] = []
  for (const days of ages) {
    const at = Date.now() - days * 86_400_000 - 1000
    await database.query('select ensure_run_partition(to_timestamp($1))', [at / 1000])
    ids.push(newRunId(at, no, days))
    await database.query(
      `insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status) values ($1, $2, $3, 0, 1, ` +
        `'success')`,
      [no, ids.at(-1), team],
    )
  }
  await database.query('update checks set runs_total = $1 where no = $2', [ages.length, no])
  expect((await all(team, id)).map((row) => row.id)).toEqual(ids.slice(0, 7))
  expect(await countRuns(database.store, team, id, 'page')).toBe(7)
  expect(await findRun(database.store, team, ids[6]!)).not.toBeNull()
  expect(await findRun(database.store, team, ids[7]!)).toBeNull()
  await database.query(`update teams set limits = '{"retentionDays": 50}' where id = $1`, [team])
  expect((await all(team, id)).map((row) => row.id)).toEqual(ids.slice(0, 3))
  expect(await countRuns(database.store, team, id, 'page')).toBe(3)
})

test('the list of changes has the runs that found a difference of fields or of pictures, and counts them', async () => {
  const team = await database.team()
  const { id, no } = await create(database, team)
  const ids: string[] = []
  for (const nth of [1, 2, 3, 4, 5]) {
    ids.push(newRunId(Date.now() - 60_000 + nth, no, nth))
    const diff = nth === 2 || nth === 5 ? '{"fields_changed":["price"],"before":{},"after":{}}' : null
    await database.query(
      `insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, diff)
        values ($1, $2, $3, 0, 1, 'success', $4)`,
      [no, ids.at(-1), team, diff],
    )
    await database.query(
      `insert into run_images (monitor_no, run_id, team_id, change_pct, has_changes, thumb_id, regions)
        values ($1, $2, $3, 1, $4, gen_random_uuid(), '[]')`,
      [no, ids.at(-1), team, nth === 3 || nth === 5],
    )
  }
  // One in progress is no change.
  await claimOne(no)
  const changed = { isChanged: true }
  expect((await all(team, id, changed)).map((row) => row.id)).toEqual([ids[4], ids[2], ids[1]])
  expect((await all(team, id, { ...changed, limit: 1, offset: 1 })).map((row) => row.id)).toEqual([ids[2]])
  expect(await countChangedRuns(database.store, team, id, 'page')).toBe(3)
  expect(await countChangedRuns(database.store, await database.team(), id, 'page')).toBeNull()
})

test('of a search, changes are the runs whose results differ from those before, and the first ones', async () => {
  const team = await database.team()
  const no = await addSearch(database, team)
  const [search] = await database.query<{ id: string }>('select id from monitors where no = $1', [no])
  const id = search?.id ?? ''
  const ids: string[] = []
  for (const [nth, results] of ['[]', null, '[{"position":1}]'].entries()) {
    ids.push(newRunId(Date.now() - 60_000 + nth, no, nth))
    await database.query(
      `insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, organic_results)
        values ($1, $2, $3, 0, 1, 'success', $4)`,
      [no, ids.at(-1), team, results],
    )
  }
  expect((await all(team, id, { isChanged: true, kind: 'serp' })).map((row) => row.id)).toEqual([ids[2], ids[0]])
  expect(await countChangedRuns(database.store, team, id, 'serp')).toBe(2)
})

test('another team finds neither the run nor the list', async () => {
  const team = await database.team()
  const other = await database.team()
  const { id, no } = await create(database, team)
  const taken = await claimOne(no)
  expect(await findRun(database.store, team, taken?.run_id ?? '')).toMatchObject({ status: 'running', monitor_id: id })
  expect(await findRun(database.store, other, taken?.run_id ?? '')).toBeNull()
  await recordReadings(database.store, [readingRun(taken, { price: '1' })])
  expect(await findRun(database.store, other, taken?.run_id ?? '')).toBeNull()
  expect(await all(other, id)).toEqual([])
  expect(await countRuns(database.store, other, id, 'page')).toBeNull()
})

test('an id that belongs to the same monitor but was never given is not found', async () => {
  const team = await database.team()
  const { no } = await create(database, team)
  expect(await findRun(database.store, team, newRunId(Date.now(), no, 5))).toBeNull()
})
