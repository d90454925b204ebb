import { expect, test } from 'vitest'
import { zonedDate } from '../../../core/hold/zoned-instant.ts'
import { TIME_ZONE } from '../../../schema/rules/hours-rules.ts'

const LETTERS = Array.from({ length: 26 }, (_, n) => String.fromCharCode(65 + n))
const SHORT = LETTERS.flatMap((a) => LETTERS.flatMap((b) => LETTERS.map((c) => a + b + c)))
const OLD = [
  'EST5EDT',
  'US/Pacific',
  'Etc/GMT+5',
  'Zulu',
  'GMT0',
  'GB-Eire',
  'NZ-CHAT',
  'W-SU',
  'SystemV/PST8',
  'Factory',
]

test('every name of a zone that a definition takes has a clock here', () => {
  const names = [...Intl.supportedValuesOf('timeZone'), ...SHORT, ...OLD]
  const taken = names.flatMap((name) => [name, name.toLowerCase()]).filter((name) => TIME_ZONE.check(name).length === 0)
  expect(taken.length).toBeGreaterThan(800)
  expect(taken).toEqual(expect.arrayContaining(['Europe/Berlin', 'EST', 'CET', 'UTC']))
  for (const name of taken) expect(() => zonedDate(0, name), name).not.toThrow()
})
