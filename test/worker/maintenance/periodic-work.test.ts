import { describe, expect, test } from 'vitest'
import { createPeriodicWork, type PeriodicWork } from '../../../worker/maintenance/periodic-work.ts'

const HOUR_MS = 3_600_000

/** Looks at a time, and returns how often the work has begun. */
function counted(afterMs = 0) {
  let begun = 0
  const faults: unknown[] = []
  const work: PeriodicWork = createPeriodicWork({
    everyMs: HOUR_MS,
    afterMs,
    work: () => {
      begun += 1
      return Promise.reject(new Error('it failed'))
    },
    onFault: (error) => faults.push(error),
  })
  return {
    faults,
    async at(ms: number) {
      work.look(ms)
      await new Promise((resolve) => setImmediate(resolve))
      return begun
    },
  }
}

describe('work at an interval of the store’s clock', () => {
  test('begins with the first look, and again after each interval, whether it failed or not', async () => {
    const work = counted()
    expect(await work.at(0)).toBe(1)
    expect(await work.at(HOUR_MS - 1)).toBe(1)
    expect(await work.at(HOUR_MS)).toBe(2)
    expect(await work.at(100 * HOUR_MS)).toBe(3)
    expect(work.faults).toHaveLength(3)
  })

  test('begins later where that is asked for', async () => {
    const work = counted(60_000)
    expect(await work.at(0)).toBe(0)
    expect(await work.at(59_999)).toBe(0)
    expect(await work.at(60_000)).toBe(1)
  })

  test('begins at once when the clock was set back', async () => {
    const work = counted()
    expect(await work.at(100 * HOUR_MS)).toBe(1)
    expect(await work.at(100 * HOUR_MS - 60_000)).toBe(1)
    expect(await work.at(0)).toBe(2)
    expect(await work.at(1)).toBe(2)
  })

  test('is not begun twice at once, and ends when it is stopped', async () => {
    let begun = 0
    let isStopped = false
    const work = createPeriodicWork({
      everyMs: HOUR_MS,
      work: (stopping) =>
        new Promise<void>((resolve) => {
          begun += 1
          stopping.addEventListener('abort', () => {
            isStopped = true
            resolve()
          })
        }),
      onFault: () => {},
    })
    work.look(0)
    work.look(HOUR_MS)
    await work.stop()
    work.look(2 * HOUR_MS)
    expect({ begun, isStopped }).toEqual({ begun: 1, isStopped: true })
  })
})
