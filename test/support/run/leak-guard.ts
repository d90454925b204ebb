import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { runningTimers } from './timer-ledger.ts'

/** What keeps a process alive, by the names that Node gives it; the rest belongs to the runner. */
const HANDLES = [
  'TCPServerWrap',
  'TCPSocketWrap',
  'PipeWrap',
  'ProcessWrap',
  'TLSWrap',
  'UDPWrap',
  'FSEventWrap',
  'Worker',
]
/** Closing takes a moment, on a busy machine more than one. The test of this guard does not wait so long. */
const PATIENCE_MS = Number(process.env['TIDEMARK_TEST_LEAK_MS'] ?? 15_000)
const LOOK_EVERY_MS = 20

/**
 * Fails a test file that leaves a server, a connection, a child process or a timer behind, naming the kind and the
 * number (a setup file of vitest).
 *
 * Its `afterAll` is registered first and so runs last. Closing takes a moment, which it gives.
 */
let before: Map<string, number>
let timersBefore: string[]

beforeAll(() => {
  before = openHandles()
  timersBefore = runningTimers()
})

afterAll(async () => {
  let left = leftovers(before, timersBefore)
  for (let waitedMs = 0; left.length > 0 && waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
    await pause(LOOK_EVERY_MS)
    left = leftovers(before, timersBefore)
  }
  expect(left, 'handles that the file left open').toEqual([])
}, 2 * PATIENCE_MS)

function leftovers(earlier: Map<string, number>, earlierTimers: readonly string[]): string[] {
  const handles = [...openHandles()].flatMap(([name, count]) => {
    const more = count - (earlier.get(name) ?? 0)
    return more > 0 ? [`${name}: ${more}`] : []
  })
  return [...handles, ...runningTimers().filter((timer) => !earlierTimers.includes(timer))]
}

function openHandles(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of process.getActiveResourcesInfo()) {
    if (HANDLES.includes(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
