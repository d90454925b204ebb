import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scheduleExamples } from '../../core/schedule-examples.ts'
import { backoffSeconds, nextRun, shiftSeconds } from '../../core/schedule.ts'

const T = Date.UTC(2026, 4, 1, 12)
const intervals = fc.integer({ min: 60, max: 31_536_000 })

describe('the next run', () => {
  test.each(scheduleExamples.map(({ title, input, next }) => [title, input, next] as const))('%s', (_, input, next) => {
    expect(nextRun(input)).toBe(next)
  })

  test('lies ahead of now, by at most one interval and a shift', () => {
    const inputs = fc.record({
      intervalSeconds: intervals,
      late: fc.integer({ min: 0, max: 10 ** 12 }),
      firstRun: fc.boolean(),
      id: fc.uuid(),
    })
    fc.assert(
      fc.property(inputs, ({ intervalSeconds, late, firstRun, id }) => {
        const shift = shiftSeconds(id, intervalSeconds)
        const now = T + late
        const next =
          nextRun({
            scheduledFor: T,
            now,
            intervalSeconds,
            shiftSeconds: shift,
            firstRun,
            failures: 0,
            retryAfterMs: 0,
          }) ?? 0
        expect(next).toBeGreaterThan(now)
        expect(next - now).toBeLessThanOrEqual((intervalSeconds + shift) * 1000)
        expect((next - T - (firstRun ? shift * 1000 : 0)) % (intervalSeconds * 1000)).toBe(0)
      }),
    )
  })

  test('after a failure never comes sooner than after a success, nor before the target wants it', () => {
    const inputs = fc.record({
      intervalSeconds: intervals,
      failures: fc.integer({ min: 1, max: 100 }),
      retryAfterMs: fc.integer({ min: 0, max: 10 ** 8 }),
    })
    fc.assert(
      fc.property(inputs, ({ intervalSeconds, failures, retryAfterMs }) => {
        const input = {
          scheduledFor: T,
          now: T + 100,
          intervalSeconds,
          shiftSeconds: 0,
          firstRun: false,
          failures,
          retryAfterMs,
        }
        const next = nextRun(input) ?? 0
        expect(next).toBeGreaterThanOrEqual(nextRun({ ...input, failures: 0 }) ?? 0)
        expect(next).toBeGreaterThanOrEqual(T + 100 + retryAfterMs)
      }),
    )
  })
})

describe('backing off', () => {
  test('begins with the fifth failure and grows to max(interval, 15 minutes)', () => {
    expect([1, 4, 5, 6, 7, 8, 9, 100].map((failures) => backoffSeconds(failures, 60))).toEqual([
      0, 0, 120, 240, 480, 900, 900, 900,
    ])
    expect(backoffSeconds(5, 86_400)).toBe(86_400)
  })

  test('never shrinks with more failures, nor exceeds its bound', () => {
    fc.assert(
      fc.property(intervals, fc.nat({ max: 10_000 }), (interval, failures) => {
        expect(backoffSeconds(failures + 1, interval)).toBeGreaterThanOrEqual(backoffSeconds(failures, interval))
        expect(backoffSeconds(failures, interval)).toBeLessThanOrEqual(Math.max(interval, 900))
      }),
    )
  })
})

describe('the shift', () => {
  test('is a whole number of seconds from 0 to a tenth of the interval, at most 30, and the same each time', () => {
    fc.assert(
      fc.property(fc.uuid(), intervals, (id, interval) => {
        const shift = shiftSeconds(id, interval)
        expect(shift).toBe(shiftSeconds(id.toUpperCase(), interval))
        expect(Number.isInteger(shift)).toBe(true)
        expect(shift).toBeGreaterThanOrEqual(0)
        expect(shift).toBeLessThanOrEqual(Math.min(interval / 10, 30))
      }),
    )
  })

  test.each([
    [60, 7],
    [300, 31],
    [3600, 31],
  ])('spreads ten thousand monitors of an interval of %i s evenly over %i seconds', (interval, seconds) => {
    const counts = new Map<number, number>()
    for (let i = 0; i < 10_000; i++) {
      const shift = shiftSeconds(`5f0c2f1e-7a8f-4b38-8f6f-${i.toString(16).padStart(12, '0')}`, interval)
      counts.set(shift, (counts.get(shift) ?? 0) + 1)
    }
    expect(counts.size).toBe(seconds)
    for (const count of counts.values()) expect(Math.abs(count / (10_000 / seconds) - 1)).toBeLessThan(0.3)
  })
})
