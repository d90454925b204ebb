import { expect, onTestFinished, test } from 'vitest'
import { createLeaseKeeper } from '../../../concurrency/leases/lease-keeper.ts'
import { eventually } from '../../support/run/eventually.ts'

interface Item {
  readonly no: number
  readonly fence: number
}

/**
 * A keeper of leases of 60 ms, and what it asked of its store. `ours`: the numbers that the store still counts as ours.
 */
function opened(ours: ReadonlySet<number> = new Set()) {
  const seen = { extended: [] as number[], released: [] as number[], lost: [] as number[], faults: [] as string[] }
  const store = { isAway: false }
  const ask = async (list: number[], items: readonly Item[]) => {
    if (store.isAway) throw new Error('away')
    list.push(...items.map(({ no }) => no))
  }
  const keeper = createLeaseKeeper<Item, number>({
    leaseMs: 60,
    keyOf: ({ no }) => no,
    async extend(items) {
      await ask(seen.extended, items)
      return ours
    },
    release: (items) => ask(seen.released, items),
    onLost: ({ no }) => seen.lost.push(no),
    onFault: (_, doing) => seen.faults.push(doing),
  })
  keeper.start()
  onTestFinished(() => keeper.drain({ ended: Promise.resolve() }, 0))
  return { keeper, seen, store }
}

const item = (no: number, fence = 1): Item => ({ no, fence })
const times = (list: readonly unknown[], count: number) =>
  eventually(
    () => list.length,
    (length) => length >= count,
  )

test('a lease is extended again and again, the first time when a third of it is through', async () => {
  const { keeper, seen } = opened(new Set([1]))
  const lease = keeper.hold(item(1))
  await times(seen.extended, 2)
  expect(keeper.of(lease.item)).toBe(lease)
  keeper.drop(lease)
  expect(keeper.of(lease.item)).toBeUndefined()
})

test('the work under a lease that is lost is aborted, and its lease is kept no longer', async () => {
  const { keeper, seen } = opened()
  const lease = keeper.hold(item(1))
  lease.lost = new AbortController()
  await times(seen.lost, 1)
  expect(lease.lost.signal.aborted).toBe(true)
  expect(keeper.of(lease.item)).toBeUndefined()
})

test('a heartbeat that fails is tried again in a moment, and nothing is lost by it', async () => {
  const { keeper, seen, store } = opened(new Set([1]))
  const lease = keeper.hold(item(1))
  store.isAway = true
  await times(seen.faults, 1)
  store.isAway = false
  await times(seen.extended, 1)
  expect([seen.lost, seen.faults[0], keeper.of(lease.item)]).toEqual([[], 'extend', lease])
})

test('what comes again under a newer fence voids the work under the older one, which can drop nothing', () => {
  const { keeper } = opened(new Set([1]))
  const old = keeper.hold(item(1))
  old.lost = new AbortController()
  const lease = keeper.hold(item(1, 2))
  expect(old.lost.signal.aborted).toBe(true)
  keeper.drop(old)
  expect([keeper.of(old.item), keeper.of(lease.item)]).toEqual([undefined, lease])
})

test('a drain waits for work, cuts off and gives back what is late, and leaves what is being recorded', async () => {
  const { keeper, seen } = opened(new Set([1, 2, 3]))
  const [hanging, recording, waiting] = [keeper.hold(item(1)), keeper.hold(item(2)), keeper.hold(item(3))]
  hanging.lost = new AbortController()
  const before = performance.now()
  const drained = keeper.drain({ ended: new Promise(() => {}), unstarted: [waiting.item] }, 100)
  expect(seen.released).toEqual([3])
  await drained
  expect(performance.now() - before).toBeGreaterThan(90)
  expect(seen.released).toEqual([3, 1])
  expect(hanging.lost.signal.aborted).toBe(true)
  expect(keeper.of(recording.item)).toBe(recording)
})

test('a drain ends as soon as its work does, also where the store does not take anything back', async () => {
  const { keeper, seen, store } = opened(new Set([1]))
  keeper.hold(item(1)).lost = new AbortController()
  store.isAway = true
  await keeper.drain({ ended: Promise.resolve() }, 60_000)
  expect(seen.faults).toContain('release')
})
