import { afterAll, beforeAll, expect, test } from 'vitest'
import { newRunId } from '../../support/run-ids.ts'
import { recordFailed } from '../../../store/queue/record-failed.ts'
import { recordReadings } from '../../../store/queue/record-reading.ts'
import { recordUnchanged } from '../../../store/queue/record-unchanged.ts'
import { countRuns, findRun, listRuns } from '../../../store/runs/runs.ts'
import { toRun } from '../../../store/runs/run-record.ts'
import { failedRun, readingRun, unchangedRun } from '../queue/finished-runs.ts'
import { create } from '../monitors/monitors-world.ts'
import { openQueueWorld, type QueueWorld } from '../queue/queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await openQueueWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const claimOne = async (no: number) => {
  await world.makeDue()
  return (await world.claim()).find((one) => one.no === no)
}
const all = (teamId: string, monitorId: string, more = {}) =>
  listRuns(world.store, { teamId, monitorId, limit: 20, offset: 0, ...more })

test('runs of every kind are listed newest first, and an unchanged one has the values that it points at', async () => {
  const team = await world.team()
  const { id, no } = await create(world, team)
  const first = await claimOne(no)
  await recordReadings(world.store, [readingRun(first, { price: '1' })])
  const second = await claimOne(no)
  await recordUnchanged(world.store, [unchangedRun(second)])
  const third = await claimOne(no)
  await recordFailed(world.store, [failedRun(third)])
  const fourth = await claimOne(no)
  const rows = await all(team, id)
  expect(rows.map((row) => [row.id, row.status, toRun(row).extracted])).toEqual([
    [fourth?.run_id, 'running', {}],
    [third?.run_id, 'error', {}],
    [second?.run_id, 'success', { price: '1' }],
    [first?.run_id, 'success', { price: '1' }],
  ])
  expect(await countRuns(world.store, team, id)).toBe(4)
  expect(await all(team, id, { limit: 1, offset: 1 })).toEqual([rows[1]])
  expect(await all(team, id, { limit: 2, offset: 3 })).toEqual([rows[3]])
  expect(await all(team, id, { limit: 2, offset: 4 })).toEqual([])
  expect(toRun(rows[1]!)).toMatchObject({ error_code: 'http_status', error_message: 'The page answered 500.' })
})

test('runs of several months are one list, and retention cuts it without counting what is kept', async () => {
  const team = await world.team()
  const { id, no } = await create(world, team)
  const ages = [0, 20, 40, 60, 80, 100, 729, 731, 800]
  const ids: string[] = []
  for (const days of ages) {
    const at = Date.now() - days * 86_400_000 - 1000
    await world.query('select ensure_run_partition(to_timestamp($1))', [at / 1000])
    ids.push(newRunId(at, no, days))
    await world.query(
      `insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status) values ($1, $2, $3, 0, 1, ` +
        `'success')`,
      [no, ids.at(-1), team],
    )
  }
  await world.query('update checks set runs_total = $1 where no = $2', [ages.length, no])
  expect((await all(team, id)).map((row) => row.id)).toEqual(ids.slice(0, 7))
  expect(await countRuns(world.store, team, id)).toBe(7)
  expect(await findRun(world.store, team, ids[6]!)).not.toBeNull()
  expect(await findRun(world.store, team, ids[7]!)).toBeNull()
  await world.query(`update teams set limits = '{"retentionDays": 50}' where id = $1`, [team])
  expect((await all(team, id)).map((row) => row.id)).toEqual(ids.slice(0, 3))
  expect(await countRuns(world.store, team, id)).toBe(3)
})

test('another team finds neither the run nor the list', async () => {
  const team = await world.team()
  const other = await world.team()
  const { id, no } = await create(world, team)
  const taken = await claimOne(no)
  expect(await findRun(world.store, team, taken?.run_id ?? '')).toMatchObject({ status: 'running', monitor_id: id })
  expect(await findRun(world.store, other, taken?.run_id ?? '')).toBeNull()
  await recordReadings(world.store, [readingRun(taken, { price: '1' })])
  expect(await findRun(world.store, other, taken?.run_id ?? '')).toBeNull()
  expect(await all(other, id)).toEqual([])
  expect(await countRuns(world.store, other, id)).toBeNull()
})

test('an id that belongs to the same monitor but was never given is not found', async () => {
  const team = await world.team()
  const { no } = await create(world, team)
  expect(await findRun(world.store, team, newRunId(Date.now(), no, 5))).toBeNull()
})
