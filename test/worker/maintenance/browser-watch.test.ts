import { expect, test, vi } from 'vitest'
import { createBrowserWatch } from '../../../worker/maintenance/maintenance.ts'

test('checks that no browser takes are logged when they are seen, once an hour, and when they are taken', async () => {
  vi.useFakeTimers()
  const lines: string[] = []
  let count = 3
  let isRendered = false
  const log = {
    error: (_: object, text: string) => lines.push(text),
    warn: (_: object, text: string) => lines.push(text),
  }
  const watch = createBrowserWatch(async () => ({ count, isRendered }), log)
  const minutes = async (many: number) => {
    for (let n = 0; n < many; n++) {
      vi.advanceTimersByTime(60_000)
      await watch.look()
    }
  }
  // What waited while nothing ran is taken first.
  await minutes(9)
  expect(lines).toEqual([])
  await minutes(30)
  expect(lines).toEqual([expect.stringContaining('TIDEMARK_BROWSER_PAGES')])
  await minutes(60)
  expect(lines).toHaveLength(2)
  count = 0
  // The next ones are not due yet.
  await minutes(5)
  expect(lines).toHaveLength(2)
  isRendered = true
  await minutes(5)
  expect(lines.slice(2)).toEqual([expect.stringContaining('are taken again')])
  vi.useRealTimers()
})
