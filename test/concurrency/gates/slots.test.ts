import { afterEach, describe, expect, test, vi } from 'vitest'
import { Slots } from '../../../concurrency/gates/slots.ts'

const caps = { total: 10, perTeam: 5, waiting: 3, teamWaiting: 2 }
const wait = { waitMs: 60_000, signal: new AbortController().signal }

/** Takes an amount that has to be free. */
function taken(slots: Slots, key: string, amount: number): () => void {
  const giveBack = slots.tryTake(key, amount)
  if (!giveBack) throw new Error(`there was no room for ${amount} of ${key}`)
  return giveBack
}

describe('slots that are waited for', () => {
  test('holds no more than its total, and of one key no more than its share', () => {
    const slots = new Slots(caps)
    taken(slots, 'a', 4)
    expect(slots.tryTake('a', 2)).toBeNull()
    taken(slots, 'b', 5)
    expect(slots.tryTake('c', 2)).toBeNull()
    expect(slots.held).toBe(9)
  })

  test('counts an amount beyond the share of a key as the share', () => {
    const slots = new Slots(caps)
    taken(slots, 'a', 1_000)()
    expect(slots.held).toBe(0)
  })

  test('admits keys in turn, those first that have nothing, and those of one key in order', async () => {
    const slots = new Slots({ ...caps, total: 5, waiting: 9, teamWaiting: 9 })
    let giveBack = taken(slots, 'a', 5)
    const order: string[] = []
    const ask = async (key: string, name: string) => {
      const reserved = await slots.take(key, { amount: 5, ...wait })
      order.push(name)
      if (typeof reserved === 'function') giveBack = reserved
    }
    const asked = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('c', 'c1')]
    for (const turn of [3, 4, 0, 1, 2]) {
      giveBack()
      await asked[turn]
    }
    expect(order).toEqual(['b1', 'c1', 'a1', 'a2', 'a3'])
  })

  test('does not let small requests pass a large one that waits for the total', async () => {
    const slots = new Slots(caps)
    const first = taken(slots, 'a', 5)
    taken(slots, 'b', 3)
    const large = slots.take('c', { amount: 5, ...wait })
    expect(slots.tryTake('d', 1)).toBeNull()
    first()
    expect(typeof (await large)).toBe('function')
    expect(slots.held).toBe(8)
  })

  test('does not make a key wait for another that has its share', async () => {
    const slots = new Slots(caps)
    taken(slots, 'a', 5)
    const left = new AbortController()
    const waiting = slots.take('a', { amount: 1, ...wait, signal: left.signal })
    expect(slots.tryTake('b', 5)).not.toBeNull()
    left.abort()
    expect(await waiting).toBe('left')
  })

  test('refuses what waits beyond the bounds, but not what has begun', async () => {
    const slots = new Slots(caps)
    const left = new AbortController()
    const leaving = { waitMs: 60_000, signal: left.signal }
    taken(slots, 'a', 5)
    const waiting = [slots.take('a', leaving), slots.take('a', leaving)]
    expect(await slots.take('a', { amount: 1, ...wait })).toBe('full')
    waiting.push(slots.take('a', { ...leaving, isBegun: true }))
    expect(slots.waiting).toBe(3)
    left.abort()
    expect(await Promise.all(waiting)).toEqual(['left', 'left', 'left'])
    expect(slots.waiting).toBe(0)
  })

  test('ends a wait after its time', async () => {
    const slots = new Slots(caps)
    taken(slots, 'a', 5)
    expect(await slots.take('a', { amount: 1, ...wait, waitMs: 1 })).toBe('late')
    expect([slots.held, slots.waiting]).toEqual([5, 0])
  })
})

afterEach(() => void vi.useRealTimers())

test('who came too late for a slot costs the others of its key nothing', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  const slots = new Slots({ total: 128, policy: 'shares' })
  const leave = async (place: ReturnType<typeof slots.take>) => {
    const end = await place
    if (typeof end === 'function') end()
  }
  await leave(slots.take('other'))
  for (let n = 0; n < 128; n++) await leave(slots.take('quick'))
  // It uses what it may use, the rest comes too late, and then nothing ends for seconds.
  const inside: (() => void)[] = []
  const enter = () => slots.take('quick', { waitMs: 100 }).then((end) => typeof end === 'function' && inside.push(end))
  const first = Array.from({ length: 600 }, enter)
  await vi.advanceTimersByTimeAsync(200)
  await Promise.all(first)
  const used = inside.length
  expect(used).toBeGreaterThan(90)
  await vi.advanceTimersByTimeAsync(10_000)
  for (const end of inside.splice(0)) end()
  // What it has not used is there still. Without it, the key may use 30 slots.
  const second = Array.from({ length: 128 }, enter)
  await vi.advanceTimersByTimeAsync(50)
  expect(inside.length).toBeGreaterThan(30)
  expect(inside.length).toBeGreaterThanOrEqual(128 - used)
  await vi.advanceTimersByTimeAsync(200)
  await Promise.all(second)
})
