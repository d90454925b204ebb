import { expect, test } from 'vitest'
import { ratios, spreadOf } from '../../bench/results/stats.ts'

test('the median of an odd number of measurements is the one in the middle, whatever their order', () => {
  expect(spreadOf([30, 10, 20])).toEqual({ median: 20, min: 10, max: 30 })
})

test('the median of an even number of measurements lies between the two in the middle', () => {
  expect(spreadOf([4, 100, 1, 2]).median).toBe(3)
})

test('nothing measured has no median', () => {
  expect(() => spreadOf([])).toThrow(RangeError)
})

test('each round is compared with the bare loop right before it', () => {
  expect(ratios([50, 80], [100, 400])).toEqual([0.5, 0.2])
})
