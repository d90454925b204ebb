import { describe, expect, test } from 'vitest'
import { heldUntil } from '../../../core/hold/held-until.ts'
import type { DigestConfig } from '../../../schema/monitor/digest.ts'
import type { QuietHours } from '../../../schema/monitor/quiet-hours.ts'

const NIGHT = { from: '22:00', until: '07:00', time_zone: 'Europe/Berlin' }

/** Returns until when a message at an instant waits, in UTC; null: it is sent at once. */
function waits(at: string, quiet_hours: { from: string; until: string; time_zone: string }): string | null {
  const hold = heldUntil({ quiet_hours }, {}, Date.parse(at))
  return hold && new Date(hold.untilMs ?? Number.NaN).toISOString()
}

test.each([
  ['before they begin', '2026-01-10T20:59:59.999Z', null],
  ['when they begin', '2026-01-10T21:00:00.000Z', '2026-01-11T06:00:00.000Z'],
  ['after midnight', '2026-01-11T02:00:00.000Z', '2026-01-11T06:00:00.000Z'],
  ['a moment before they end', '2026-01-11T05:59:59.999Z', '2026-01-11T06:00:00.000Z'],
  ['when they end', '2026-01-11T06:00:00.000Z', null],
  ['at noon', '2026-01-11T11:00:00.000Z', null],
])('quiet hours over night: %s', (_, at, until) => {
  expect(waits(at, NIGHT)).toBe(until)
})

test.each([
  ['before', '2026-01-10T11:59:00.000Z', null],
  ['within', '2026-01-10T12:30:00.000Z', '2026-01-10T13:00:00.000Z'],
  ['after', '2026-01-10T13:00:00.000Z', null],
])('quiet hours of one day: %s', (_, at, until) => {
  expect(waits(at, { from: '12:00', until: '13:00', time_zone: 'UTC' })).toBe(until)
})

test('an instant may have parts of a millisecond', () => {
  const at = Date.parse('2026-01-11T05:59:59.999Z') + 0.75
  expect(heldUntil({ quiet_hours: NIGHT }, {}, at)?.untilMs).toBe(Date.parse('2026-01-11T06:00:00.000Z'))
})

test('the day is that of the zone', () => {
  // In Auckland it is already the 11th, 09:30.
  const hours = { from: '09:00', until: '10:00', time_zone: 'Pacific/Auckland' }
  expect(waits('2026-01-10T20:30:00.000Z', hours)).toBe('2026-01-10T21:00:00.000Z')
})

test('an end that a change of the clocks skips is the first instant after it', () => {
  // On 29 March in Berlin, 02:00 becomes 03:00.
  const hours = { from: '22:00', until: '02:30', time_zone: 'Europe/Berlin' }
  expect(waits('2026-03-29T00:30:00.000Z', hours)).toBe('2026-03-29T01:00:00.000Z')
  expect(waits('2026-03-29T01:00:00.000Z', hours)).toBeNull()
})

test('a begin that a change of the clocks skips is the first instant after it', () => {
  const hours = { from: '02:30', until: '05:00', time_zone: 'Europe/Berlin' }
  expect(waits('2026-03-29T00:59:59.000Z', hours)).toBeNull()
  expect(waits('2026-03-29T01:00:00.000Z', hours)).toBe('2026-03-29T03:00:00.000Z')
})

test('of a time that the clocks show twice, the first counts', () => {
  // On 25 October in Berlin, 03:00 becomes 02:00: 02:30 is at 00:30 and at 01:30 UTC.
  expect(waits('2026-10-25T00:00:00.000Z', { ...NIGHT, until: '02:30' })).toBe('2026-10-25T00:30:00.000Z')
  expect(waits('2026-10-25T00:45:00.000Z', { ...NIGHT, until: '02:30' })).toBeNull()
  expect(waits('2026-10-25T00:30:00.000Z', { ...NIGHT, from: '02:30', until: '05:00' })).toBe(
    '2026-10-25T04:00:00.000Z',
  )
})

test('a day that a zone leaves out ends with the next one', () => {
  // Apia had no 30 December 2011.
  const hours = { from: '08:00', until: '07:00', time_zone: 'Pacific/Apia' }
  expect(waits('2011-12-30T09:59:59.000Z', hours)).toBe('2011-12-30T10:00:00.000Z')
})

test('hours of a destination win over those of its monitor', () => {
  const at = Date.parse('2026-01-10T23:00:00.000Z')
  const noon = { from: '12:00', until: '13:00', time_zone: 'Europe/Berlin' }
  expect(heldUntil({ quiet_hours: noon }, { quiet_hours: NIGHT }, at)).toBeNull()
  expect(heldUntil({}, { quiet_hours: NIGHT }, at)?.reason).toBe('quiet_hours')
  expect(heldUntil({}, { quiet_hours: null }, at)).toBeNull()
})

/** Returns when what fires at an instant is sent, in UTC. */
const sentAt = (at: string, digest: DigestConfig, quiet_hours: QuietHours | null = null): string =>
  new Date(heldUntil({ digest }, { quiet_hours }, Date.parse(at))?.untilMs ?? 0).toISOString()

describe('A digest', () => {
  const MORNING = { daily_at: '08:00', time_zone: 'Europe/Berlin' } as const

  test.each([
    ['before its time', '2026-01-10T06:59:59.999Z', '2026-01-10T07:00:00.000Z'],
    ['at its time', '2026-01-10T07:00:00.000Z', '2026-01-11T07:00:00.000Z'],
    ['after its time', '2026-01-10T12:00:00.000Z', '2026-01-11T07:00:00.000Z'],
  ])('at a time of each day: %s', (_, at, until) => {
    expect(sentAt(at, MORNING)).toBe(until)
  })

  test('on some days only is sent on the next of them', () => {
    // 10 January 2026 is a Saturday.
    expect(sentAt('2026-01-10T12:00:00.000Z', { ...MORNING, days: ['fri', 'mon'] })).toBe('2026-01-12T07:00:00.000Z')
    expect(sentAt('2026-01-12T06:00:00.000Z', { ...MORNING, days: ['mon'] })).toBe('2026-01-12T07:00:00.000Z')
    expect(sentAt('2026-01-12T07:00:00.000Z', { ...MORNING, days: ['mon'] })).toBe('2026-01-19T07:00:00.000Z')
  })

  test('at a time that a change of the clocks skips is sent at the first instant after it', () => {
    const digest = { daily_at: '02:30', time_zone: 'Europe/Berlin' }
    expect(sentAt('2026-03-28T12:00:00.000Z', digest)).toBe('2026-03-29T01:00:00.000Z')
  })

  test('at a time that the clocks show twice is sent at the first', () => {
    const digest = { daily_at: '02:30', time_zone: 'Europe/Berlin' }
    expect(sentAt('2026-10-25T00:00:00.000Z', digest)).toBe('2026-10-25T00:30:00.000Z')
    expect(sentAt('2026-10-25T00:45:00.000Z', digest)).toBe('2026-10-26T01:30:00.000Z')
  })

  test('of so many seconds is sent that long after what fires', () => {
    expect(sentAt('2026-01-10T12:00:00.000Z', { every_seconds: 90 })).toBe('2026-01-10T12:01:30.000Z')
  })

  test('whose time lies in quiet hours is sent when they end', () => {
    expect(sentAt('2026-01-10T20:30:00.000Z', { every_seconds: 3600 }, NIGHT)).toBe('2026-01-11T06:00:00.000Z')
    expect(sentAt('2026-01-11T02:00:00.000Z', MORNING, NIGHT)).toBe('2026-01-11T07:00:00.000Z')
  })

  test('of a destination wins over that of its monitor, and is the reason', () => {
    const at = Date.parse('2026-01-10T12:00:00.000Z')
    expect(heldUntil({ digest: { every_seconds: 60 } }, { digest: MORNING, quiet_hours: NIGHT }, at)).toEqual({
      reason: 'digest',
      untilMs: at + 60_000,
    })
    expect(heldUntil({}, { digest: MORNING }, at)?.reason).toBe('digest')
  })
})

describe('A mute', () => {
  const at = Date.parse('2026-01-10T20:00:00.000Z')
  const ends = (until: string | null, more: Parameters<typeof heldUntil>[0] = {}) => {
    const hold = heldUntil(more, { mute: { until } }, at)
    return hold && [hold.reason, hold.untilMs === null ? null : new Date(hold.untilMs).toISOString()]
  }

  test('holds until it ends, before a digest and whatever that says', () => {
    expect(ends('2026-01-10T20:30:00.000Z')).toEqual(['muted', '2026-01-10T20:30:00.000Z'])
    const digest = { every_seconds: 604_800 }
    expect(ends('2026-01-10T20:30:00.000Z', { digest })).toEqual(['muted', '2026-01-10T20:30:00.000Z'])
  })

  test('whose end lies in quiet hours holds until they end', () => {
    expect(ends('2026-01-10T21:30:00.000Z', { quiet_hours: NIGHT })).toEqual(['muted', '2026-01-11T06:00:00.000Z'])
    expect(ends('2026-01-11T06:00:00.000Z', { quiet_hours: NIGHT })).toEqual(['muted', '2026-01-11T06:00:00.000Z'])
  })

  test('of no end holds until somebody ends it', () => {
    expect(ends(null, { quiet_hours: NIGHT })).toEqual(['muted', null])
  })

  test('that has ended holds nothing', () => {
    expect(ends('2026-01-10T20:00:00.000Z')).toBeNull()
    expect(ends('2026-01-10T19:00:00.000Z', { digest: { every_seconds: 60 } })).toEqual([
      'digest',
      '2026-01-10T20:01:00.000Z',
    ])
  })
})
