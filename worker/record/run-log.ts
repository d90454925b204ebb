import type { Logger } from '../../core/logger.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { Finished } from '../../runners/check/check-source.ts'

/** How a run ended, for its line in the log. */
export interface RunEnd {
  readonly outcome: 'first' | 'unchanged' | 'changed' | 'failed'
  /** Deliveries were written. */
  readonly fired: boolean
  readonly code?: RunFault['code']
}

/** What a line says of a run. */
interface EndedRun extends Pick<Finished, 'task' | 'startedMs' | 'endedMs'> {
  readonly reading: { readonly fetchMethod?: string | null }
}

/** Writes a line for each recorded run. */
interface RunLog {
  ended(run: EndedRun, monitorName: string, end: RunEnd): void
  /** Writes what was counted since the last summary. */
  close(): void
}

/**
 * An unchanged check costs a worker 71 µs, and its line 7 to 9 µs more. So a process writes at most this many lines a
 * second about unchanged runs, and counts the others in a line a minute. At the level debug each has its line.
 */
const UNCHANGED_PER_SECOND = 20
const SUMMARY_MS = 60_000

export function createRunLog(log: Logger): RunLog {
  let second = 0
  let inSecond = 0
  let unlisted = 0
  let timer: NodeJS.Timeout | undefined

  function isListed({ outcome }: RunEnd): boolean {
    if (outcome !== 'unchanged' || log.isLevelEnabled('debug')) return true
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) {
      second = now
      inSecond = 0
    }
    inSecond += 1
    return inSecond <= UNCHANGED_PER_SECOND
  }

  function summarize(): void {
    clearTimeout(timer)
    timer = undefined
    if (unlisted > 0) log.info({ unchanged: unlisted }, 'runs that are not listed')
    unlisted = 0
  }

  return {
    ended({ task, reading, startedMs, endedMs }, monitorName, end) {
      if (!log.isLevelEnabled('info')) return
      if (!isListed(end)) {
        unlisted += 1
        timer ??= setTimeout(summarize, SUMMARY_MS).unref()
        return
      }
      log.info(
        {
          run_id: task.runId,
          monitor_id: task.monitorId,
          monitor: monitorName,
          layer: reading.fetchMethod,
          ms: Math.max(0, endedMs - startedMs),
          ...end,
        },
        'run',
      )
    },
    close: summarize,
  }
}
