import { expect, test } from 'vitest'
import { endOf } from '../../dashboard/src/monitors/mute-ends.ts'

const NOW = new Date(2026, 9, 24, 23, 30).getTime()

test.each([
  ['hour', new Date(2026, 9, 25, 0, 30)],
  ['day', new Date(NOW + 24 * 3_600_000)],
  ['tomorrow', new Date(2026, 9, 25, 8)],
] as const)('a mute for %s ends by the clock of the person', (end, at) => {
  expect(endOf(end, NOW, '')).toEqual(at)
})

test('a day that is over, or is none, is no end; without an end somebody ends it', () => {
  expect(endOf('date', NOW, '2026-10-26T09:00')).toEqual(new Date(2026, 9, 26, 9))
  expect(endOf('date', NOW, '2026-10-20T09:00')).toBeUndefined()
  expect(endOf('date', NOW, '')).toBeUndefined()
  expect(endOf('open', NOW, '')).toBeNull()
})
