import { expect, test } from 'vitest'
import { levelOf } from '../../schema/level.ts'
import { MonitorSpec } from '../../schema/monitor/monitor.ts'
import { QuietHours } from '../../schema/monitor/quiet-hours.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { SPEC } from '../support/api/monitor-spec.ts'

const NIGHT = { from: '22:00', until: '07:00', time_zone: 'Europe/Berlin' }
const faults = (given: object): readonly string[] => {
  const found = checkerOf(QuietHours).validate({ ...NIGHT, ...given })
  return found.ok ? [] : found.issues.map(({ path }) => path)
}

test.each([
  ['no zone', 'Berlin'],
  ['a zone that does not exist', 'Europe/Nowhere'],
  ['an offset', '+02:00'],
  ['a path', '../Europe/Berlin'],
  ['nothing', ''],
])('quiet hours of %s are refused', (_, time_zone) => {
  expect(faults({ time_zone })).toEqual(['time_zone'])
})

test.each(['24:00', '7:00', '07:60', '07:00:00', '22', 'noon'])('%s is no time of a day', (from) => {
  expect(faults({ from })).toEqual(['from'])
})

test('quiet hours that begin when they end are refused at both', () => {
  expect(faults({ from: '07:00' })).toEqual(['from', 'until'])
})

test.each(['Europe/Berlin', 'america/new_york', 'UTC', 'Asia/Calcutta'])('%s is a zone', (time_zone) => {
  expect(faults({ time_zone })).toEqual([])
})

test('work with quiet hours has level 2, so that no process of the version before sends it in the night', () => {
  const hook = { type: 'webhook', url: 'https://a.example/' } as const
  expect(levelOf(MonitorSpec, { ...SPEC, deliveries: [hook] })).toBe(1)
  expect(levelOf(MonitorSpec, { ...SPEC, quiet_hours: NIGHT })).toBe(2)
  expect(levelOf(MonitorSpec, { ...SPEC, deliveries: [{ ...hook, quiet_hours: NIGHT }] })).toBe(2)
})
