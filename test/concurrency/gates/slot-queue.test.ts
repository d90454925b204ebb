import { afterEach, expect, test, vi } from 'vitest'
import { createSlotQueue } from '../../../concurrency/gates/slot-queue.ts'

afterEach(() => void vi.useRealTimers())

const NEVER = new AbortController().signal

test('who came too late for a slot costs the others of its key nothing', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  const queue = createSlotQueue({ total: 128, sharesSlots: true })
  const leave = async (place: ReturnType<typeof queue.enter>) => {
    const end = await place
    if (typeof end === 'function') end()
  }
  await leave(queue.enter('other', NEVER))
  for (let n = 0; n < 128; n++) await leave(queue.enter('quick', NEVER))
  // It uses what it may use, the rest comes too late, and then nothing ends for seconds.
  const inside: (() => void)[] = []
  const enter = () => queue.enter('quick', NEVER, 100).then((end) => typeof end === 'function' && inside.push(end))
  const first = Array.from({ length: 600 }, enter)
  await vi.advanceTimersByTimeAsync(200)
  await Promise.all(first)
  const used = inside.length
  expect(used).toBeGreaterThan(90)
  await vi.advanceTimersByTimeAsync(10_000)
  for (const end of inside.splice(0)) end()
  // What it has not used is there still. Without it, the key may use 24 slots.
  const second = Array.from({ length: 128 }, enter)
  await vi.advanceTimersByTimeAsync(50)
  expect(inside.length).toBeGreaterThan(24)
  expect(inside.length).toBeGreaterThanOrEqual(128 - used)
  await vi.advanceTimersByTimeAsync(200)
  await Promise.all(second)
})
