import { expect, test } from 'vitest'
import { createBell } from '../../concurrency/wake-signal.ts'

const LONG_MS = 60_000

test('a ring wakes who sleeps', async () => {
  const bell = createBell()
  const woken = bell.wait(LONG_MS)
  bell.ring()
  await expect(woken).resolves.toBeUndefined()
})

test('a ring while nobody sleeps wakes the next at once, and only the next', async () => {
  const bell = createBell()
  bell.ring()
  bell.ring()
  await bell.wait(LONG_MS)
  const before = performance.now()
  await bell.wait(30)
  expect(performance.now() - before).toBeGreaterThan(25)
})
