import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TokenBucket } from '../../../concurrency/loops/token-bucket.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('A bucket gives a burst at once, and then its rate', () => {
  const bucket = new TokenBucket({ perSecond: 2, burst: 3 })
  const takes = () => [1, 2, 3, 4].filter(() => bucket.tryTake()).length
  expect(takes()).toBe(3)
  vi.advanceTimersByTime(1_000)
  expect(takes()).toBe(2)
  vi.advanceTimersByTime(60_000)
  expect(takes()).toBe(3)
})

test('A token that is reserved ahead is there after the time that was said', () => {
  const bucket = new TokenBucket({ perSecond: 2, burst: 1 })
  expect([bucket.reserve(), bucket.reserve(), bucket.reserve()]).toEqual([0, 500, 1_000])
  vi.advanceTimersByTime(1_000)
  expect(bucket.tryTake()).toBe(false)
  vi.advanceTimersByTime(500)
  expect(bucket.tryTake()).toBe(true)
})

test('A bucket owes no more than the longest wait that is asked for, whatever was asked for before', () => {
  const bucket = new TokenBucket({ perSecond: 2, burst: 1 })
  for (let n = 0; n < 1_000; n += 1) expect(bucket.reserve(3_000)).toBeLessThanOrEqual(3_000)
  vi.advanceTimersByTime(3_500)
  expect(bucket.reserve(3_000)).toBe(0)
})
