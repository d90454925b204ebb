import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { extendLeases, releaseChecks } from '../../../store/queue/lease.ts'
import { recordUnchanged } from '../../../store/queue/record-unchanged.ts'
import { unchangedRun } from './finished-runs.ts'
import { openQueueWorld, type QueueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await openQueueWorld()
})
beforeEach(async () => {
  await world.query('update checks set due_at = null')
})
afterAll(() => world[Symbol.asyncDispose]())

test('a heartbeat keeps a check beyond its first lease', async () => {
  await world.monitors(await world.team())
  const taken = await world.claim({ leaseSeconds: 5 })
  expect(await extendLeases(world.store, taken, 60)).toEqual(new Set(taken.map(({ no }) => no)))
  await world.setClock('50 seconds')
  expect(await world.claim()).toEqual([])
  await world.setClock('61 seconds')
  expect(await world.claim()).toHaveLength(1)
  await world.setClock('0')
})

test('a heartbeat tells which checks are lost, and keeps none of them', async () => {
  const [kept = 0, stolen = 0, recorded = 0] = await world.monitors(await world.team(), { count: 3 })
  const taken = await world.claim()
  await world.query('update checks set due_at = clock() where no = $1', [stolen])
  await world.claim({ leaseSeconds: 7 })
  await recordUnchanged(world.store, [unchangedRun(taken.find(({ no }) => no === recorded))])

  expect(await extendLeases(world.store, taken, 600)).toEqual(new Set([kept]))
  const { due_ms, now_ms } = await world.check(stolen)
  expect((due_ms ?? 0) - now_ms).toBeLessThan(7_001)
})

test('what is given back by one that lost it stays with its new holder', async () => {
  const [no = 0] = await world.monitors(await world.team())
  const old = await world.claim({ leaseSeconds: 0 })
  const [now] = await world.claim()
  await releaseChecks(
    world.store,
    old.map((check) => ({ no: check.no, fence: check.fence, delayMs: 0 })),
  )
  expect(await world.claim()).toEqual([])
  expect((await recordUnchanged(world.store, [unchangedRun(now)])).has(no)).toBe(true)
})

test('a check that was given back no longer listens to who gave it back', async () => {
  const [no = 0] = await world.monitors(await world.team())
  const taken = await world.claim()
  await releaseChecks(
    world.store,
    taken.map((check) => ({ no: check.no, fence: check.fence, delayMs: 0 })),
  )
  expect((await extendLeases(world.store, taken, 60)).size).toBe(0)
  expect((await recordUnchanged(world.store, [unchangedRun(taken[0])])).size).toBe(0)
  expect(await world.runs(no)).toEqual([])
})

test('a run that was paused while claimed is taken up again when its holder gives it back', async () => {
  const [no = 0] = await world.monitors(await world.team())
  const taken = await world.claim()
  await world.query('update checks set next_run_at = null where no = $1', [no])
  await releaseChecks(
    world.store,
    taken.map((check) => ({ no: check.no, fence: check.fence, delayMs: 0 })),
  )
  const [again] = await world.claim()
  expect(again?.run_id).toBe(taken[0]?.run_id)
  await recordUnchanged(world.store, [unchangedRun(again)])
  expect(await world.check(no)).toMatchObject({ due_ms: null })
})
