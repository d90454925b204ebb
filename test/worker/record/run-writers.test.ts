import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLogger, type LogLevel } from '../../../core/logger.ts'
import { createRunLog, type RunEnd } from '../../../worker/record/run-writers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const FINISHED = {
  task: { runId: 'the-run', monitorId: 'the-monitor' },
  reading: { kind: 'unchanged', fetchMethod: 'static' },
  startedMs: 1_000,
  endedMs: 1_012,
} as unknown as Parameters<ReturnType<typeof createRunLog>['ended']>[0]
const UNCHANGED: RunEnd = { outcome: 'unchanged', fired: false }

function openLog(level: LogLevel) {
  const lines: Readonly<Record<string, unknown>>[] = []
  const runLog = createRunLog(createLogger(level, { write: (line) => void lines.push(JSON.parse(line)) }))
  return { lines, runLog, tell: (end: RunEnd) => runLog.ended(FINISHED, 'The kettle', end) }
}

describe('the line of a run', () => {
  test('names the monitor, the layer, the time and the outcome', () => {
    const { lines, tell } = openLog('info')
    tell({ outcome: 'failed', fired: false, code: 'timeout' })
    expect(lines).toMatchObject([
      {
        level: 'info',
        msg: 'run',
        run_id: 'the-run',
        monitor_id: 'the-monitor',
        monitor: 'The kettle',
        layer: 'static',
        ms: 12,
        outcome: 'failed',
        fired: false,
        code: 'timeout',
      },
    ])
  })

  test('is written for each of the runs that changed or failed', () => {
    const { lines, tell } = openLog('info')
    for (let n = 0; n < 100; n++) tell({ outcome: n % 2 === 0 ? 'changed' : 'failed', fired: n % 2 === 0 })
    expect(lines).toHaveLength(100)
  })

  test('is written for 20 unchanged runs a second; a line a minute counts the others', () => {
    const { lines, tell, runLog } = openLog('info')
    for (let n = 0; n < 50; n++) tell(UNCHANGED)
    vi.advanceTimersByTime(1_000)
    for (let n = 0; n < 10; n++) tell(UNCHANGED)
    expect(lines).toHaveLength(30)
    vi.advanceTimersByTime(60_000)
    expect(lines.at(-1)).toMatchObject({ msg: 'runs that are not listed', unchanged: 30 })
    runLog.close()
    expect(lines).toHaveLength(31)
  })

  test('is written for every unchanged run at the level debug', () => {
    const { lines, tell } = openLog('debug')
    for (let n = 0; n < 50; n++) tell(UNCHANGED)
    expect(lines).toHaveLength(50)
  })

  test('is not even built above the level info', () => {
    const { lines, tell, runLog } = openLog('warn')
    for (let n = 0; n < 50; n++) tell(UNCHANGED)
    runLog.close()
    expect(lines).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
