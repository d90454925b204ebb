import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shiftSeconds } from '../../core/schedule.ts'

const intervals = fc.integer({ min: 60, max: 31_536_000 })

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
