import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runIdMonitor, runIdTime } from '../../core/run-id.ts'
import { MONITOR_NUMBERS, monthFloorId, newRunId, RUN_ID_RANDOM, runIdFloor } from '../support/database/run-ids.ts'

const times = fc.integer({ min: 0, max: 2 ** 48 - 1 })
const numbers = fc.integer({ min: 0, max: MONITOR_NUMBERS - 1 })
const randoms = fc.integer({ min: 0, max: RUN_ID_RANDOM - 1 })

describe('ids of runs', () => {
  test('are laid out bit by bit as documented', () => {
    const id = newRunId(0x0123_4567_89ab, 0xab_cdef_0123, 0x3_ffff_ffff)
    const bits = BigInt(`0x${id.replaceAll('-', '')}`)
    expect(bits >> 80n).toBe(0x0123_4567_89abn)
    expect((bits >> 76n) & 0xfn).toBe(7n)
    expect((bits >> 64n) & 0xfffn).toBe(0xfffn)
    expect((bits >> 62n) & 0x3n).toBe(0b10n)
    expect((bits >> 22n) & 0xff_ffff_ffffn).toBe(0xab_cdef_0123n)
    expect(bits & 0x3f_ffffn).toBe(0x3f_ffffn)
  })

  test('give back their time and their monitor', () => {
    fc.assert(
      fc.property(times, numbers, randoms, (time, no, random) => {
        const id = newRunId(time, no, random)
        expect([runIdTime(id), runIdMonitor(id)]).toEqual([time, no])
        expect([runIdTime(id.toUpperCase()), runIdMonitor(id.toUpperCase())]).toEqual([time, no])
      }),
    )
  })

  test('sort by time, as text', () => {
    fc.assert(
      fc.property(times, times, randoms, randoms, (a, b, one, other) => {
        expect(a >= b || newRunId(a, 1, one) < newRunId(b, 1, other)).toBe(true)
      }),
    )
  })

  test('of another kind give a number that no monitor of theirs has, without a fault', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(runIdMonitor(id)).toBeGreaterThanOrEqual(0)
        expect(runIdMonitor(id)).toBeLessThan(MONITOR_NUMBERS)
        expect(Number.isInteger(runIdTime(id))).toBe(true)
      }),
    )
  })
})

describe('the floor of an instant', () => {
  test('is below or at every id of the instant, and above every earlier one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 48 - 1 }), numbers, randoms, (time, no, random) => {
        expect(runIdFloor(time) <= newRunId(time, no, random)).toBe(true)
        expect(runIdFloor(time) > newRunId(time - 1, no, random)).toBe(true)
      }),
    )
  })

  test('of a month is that of its first millisecond in UTC', () => {
    const first = Date.UTC(2026, 4, 1)
    for (const at of [first, first + 1, Date.UTC(2026, 4, 31, 23, 59, 59, 999)])
      expect(monthFloorId(at)).toBe(runIdFloor(first))
    expect(monthFloorId(first - 1)).toBe(runIdFloor(Date.UTC(2026, 3, 1)))
    expect(runIdFloor(first)).toBe('019de0d5-c800-0000-0000-000000000000')
  })
})
