import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { extendLeases, releaseChecks } from '../../../store/queue/lease.ts'
import { recordUnchanged } from '../../../store/queue/record-unchanged.ts'
import { endLeases, stopChecks } from '../../support/database/check-states.ts'
import { unchangedRun } from '../../support/database/finished-runs.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
beforeEach(async () => {
  await stopChecks(database, 'all')
})
afterAll(() => database[Symbol.asyncDispose]())

test('a heartbeat keeps a check beyond its first lease', async () => {
  await database.monitors(await database.team())
  const taken = await database.claim({ leaseSeconds: 5 })
  expect(await extendLeases(database.store, taken, 60)).toEqual(new Set(taken.map(({ no }) => no)))
  await database.setClock('50 seconds')
  expect(await database.claim()).toEqual([])
  await database.setClock('61 seconds')
  expect(await database.claim()).toHaveLength(1)
  await database.setClock('0')
})

test('a heartbeat tells which checks are lost, and keeps none of them', async () => {
  const [kept = 0, stolen = 0, recorded = 0] = await database.monitors(await database.team(), { count: 3 })
  const taken = await database.claim()
  await endLeases(database, stolen)
  await database.claim({ leaseSeconds: 7 })
  await recordUnchanged(database.store, [unchangedRun(taken.find(({ no }) => no === recorded))])

  expect(await extendLeases(database.store, taken, 600)).toEqual(new Set([kept]))
  const { due_ms, now_ms } = await database.check(stolen)
  expect((due_ms ?? 0) - now_ms).toBeLessThan(7_001)
})

test('what is given back by one that lost it stays with its new holder', async () => {
  const [no = 0] = await database.monitors(await database.team())
  const old = await database.claim({ leaseSeconds: 0 })
  const [now] = await database.claim()
  await releaseChecks(
    database.store,
    old.map((check) => ({ no: check.no, fence: check.fence, delayMs: 0 })),
  )
  expect(await database.claim()).toEqual([])
  expect((await recordUnchanged(database.store, [unchangedRun(now)])).has(no)).toBe(true)
})

test('a check that was given back no longer listens to who gave it back', async () => {
  const [no = 0] = await database.monitors(await database.team())
  const taken = await database.claim()
  await releaseChecks(
    database.store,
    taken.map((check) => ({ no: check.no, fence: check.fence, delayMs: 0 })),
  )
  expect((await extendLeases(database.store, taken, 60)).size).toBe(0)
  expect((await recordUnchanged(database.store, [unchangedRun(taken[0])])).size).toBe(0)
  expect(await database.runs(no)).toEqual([])
})

test('a run that was paused while claimed is taken up again when its holder gives it back', async () => {
  const [no = 0] = await database.monitors(await database.team())
  const taken = await database.claim()
  await database.query('update checks set next_run_at = null where no = $1', [no])
  await releaseChecks(
    database.store,
    taken.map((check) => ({ no: check.no, fence: check.fence, delayMs: 0 })),
  )
  const [again] = await database.claim()
  expect(again?.run_id).toBe(taken[0]?.run_id)
  await recordUnchanged(database.store, [unchangedRun(again)])
  expect(await database.check(no)).toMatchObject({ due_ms: null })
})
