import { expect, test } from 'vitest'
import { retryAfterMs } from '../../core/retry-after.ts'

const NOW = Date.parse('2026-11-21T10:00:00Z')

test.each([
  ['120', 120_000],
  [' 5 ', 5_000],
  ['0', 0],
  ['86400', 86_400_000],
  ['86401', 86_400_000],
  ['9999999999', 86_400_000],
  ['Sat, 21 Nov 2026 10:01:00 GMT', 60_000],
  ['Saturday, 21-Nov-26 10:01:00 GMT', 60_000],
  ['Sat Nov 21 10:01:00 2026 GMT', 60_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['Sat, 21 Nov 2036 09:00:00 GMT', 86_400_000],
  ['', null],
  ['soon', null],
  ['-1', null],
  ['1.5', null],
  ['12h', null],
  ['2026-11-21', null],
  [undefined, null],
])('Retry-After %j is %s ms', (value, expected) => {
  expect(retryAfterMs(value, NOW)).toBe(expected)
})
