import { expect, test } from 'vitest'
import { createSlowChecks } from '../../../runners/loop/slow-checks.ts'

test('A monitor is slow from a check that took five seconds on, until one takes less.', () => {
  const slow = createSlowChecks()
  expect(slow.has({ no: 1 })).toBe(false)
  slow.ended({ no: 1 }, 4_999)
  slow.ended({ no: 2 }, 5_000)
  expect([slow.has({ no: 1 }), slow.has({ no: 2 })]).toEqual([false, true])
  slow.ended({ no: 2 }, 10)
  expect(slow.has({ no: 2 })).toBe(false)
})

test('Ten thousand slow monitors are remembered, the last ones.', () => {
  const slow = createSlowChecks()
  for (let no = 0; no <= 10_000; no++) slow.ended({ no }, 30_000)
  expect([slow.has({ no: 0 }), slow.has({ no: 1 }), slow.has({ no: 10_000 })]).toEqual([false, true, true])
})
