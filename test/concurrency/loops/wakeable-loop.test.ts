import { expect, onTestFinished, test } from 'vitest'
import { createWakeableLoop } from '../../../concurrency/loops/wakeable-loop.ts'
import { eventually } from '../../support/run/eventually.ts'

const LONG_MS = 60_000

/** A loop that counts its work; `around` is done each time. */
function opened(around: (nth: number, stopping: AbortSignal) => Promise<number> | number, faultMs = 1) {
  const seen = { count: 0, faults: 0 }
  const loop = createWakeableLoop({
    work: async (stopping) => around(++seen.count, stopping),
    onFault: () => (seen.faults += 1),
    faultPauses: { firstMs: faultMs, longestMs: faultMs },
  })
  onTestFinished(() => loop.stop())
  return { loop, seen }
}

const done = (seen: { count: number }, count: number) =>
  eventually(
    () => seen.count,
    (now) => now >= count,
  )

test('the work is done again after the pause that it asks for, and at once when it is woken', async () => {
  const { loop, seen } = opened((nth) => (nth < 3 ? 0 : LONG_MS))
  loop.start()
  await done(seen, 3)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(seen.count).toBe(3)
  loop.wake()
  await done(seen, 4)
})

test('a wake during the work is kept until its end, and the work is never done twice at once', async () => {
  let under = 0
  const { loop, seen } = opened(async (nth) => {
    expect((under += 1)).toBe(1)
    if (nth === 1) for (let n = 0; n < 5; n++) loop.wake()
    await new Promise((resolve) => setImmediate(resolve))
    under -= 1
    return LONG_MS
  })
  loop.start()
  await done(seen, 2)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(seen.count).toBe(2)
})

test('work that fails is tried again after its pause, which no wake shortens', async () => {
  const failing = opened((nth) => {
    if (nth === 1) throw new Error('away')
    return LONG_MS
  })
  failing.loop.start()
  await done(failing.seen, 2)
  expect(failing.seen.faults).toBe(1)

  const away = opened(() => {
    throw new Error('away')
  }, LONG_MS)
  away.loop.start()
  await done(away.seen, 1)
  for (let n = 0; n < 5; n++) away.loop.wake()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(away.seen.count).toBe(1)
})

test('a stop tells the work under way, waits for it, and nothing is done after it', async () => {
  let hasReported = false
  const { loop, seen } = opened(async (_, stopping) => {
    await new Promise((resolve) => stopping.addEventListener('abort', resolve))
    hasReported = true
    return 0
  })
  loop.start()
  await done(seen, 1)
  expect(loop.isUnderWay).toBe(true)
  await loop.stop()
  loop.wake()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect([hasReported, seen.count, loop.isStopped, loop.isUnderWay]).toEqual([true, 1, true, false])
})
