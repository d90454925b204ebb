import { expect, test, vi } from 'vitest'
import type { AboveLevel } from '../../../store/maintenance/above-level.ts'
import { createLevelWatch } from '../../../worker/maintenance/level-watch.ts'

test('work that nobody has the level for is logged when it is seen, once an hour, and when it is taken', async () => {
  vi.useFakeTimers()
  const lines: [fields: object, text: string][] = []
  const log = (fields: object, text: string) => void lines.push([fields, text])
  let found: AboveLevel = { checks: 3, messages: 0, level: 3, workers: false, runners: true }
  const watch = createLevelWatch(async () => found, { error: log, warn: log })
  const minutes = async (many: number) => {
    for (let n = 0; n < many; n++) {
      vi.advanceTimersByTime(60_000)
      await watch.look()
    }
  }
  await watch.look()
  expect(lines).toEqual([])
  await minutes(30)
  expect(lines).toEqual([[{ ...found, own_level: 2 }, expect.stringMatching(/Upgrade the workers .* runners/)]])
  await minutes(60)
  expect(lines).toHaveLength(2)
  found = { checks: 0, messages: 0, level: null, workers: false, runners: false }
  await minutes(5)
  expect(lines.slice(2)).toEqual([[{}, 'work of a later version is taken']])
  vi.useRealTimers()
})
