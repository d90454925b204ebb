import type { Lease } from '../../concurrency/leases/lease-keeper.ts'
import type { Logger } from '../../core/logger.ts'
import type { Reading } from '../check/reading.ts'
import type { Task } from '../check/task.ts'

interface AttemptPorts {
  readonly check: (task: Task, signal: AbortSignal) => Promise<Reading>
  readonly log: Logger
}

/**
 * Runs a check. After an internal error, thrown or returned, the check is tried once more: a helper
 * process that died has restarted by then. Controllers that were never aborted are used again for the next check,
 * because a new one with its listeners costs 3 µs.
 */
export function createAttempts({ check, log }: AttemptPorts): (lease: Lease<Task>) => Promise<Reading> {
  const spare: AbortController[] = []
  return async (lease) => {
    const { item: task } = lease
    const lost = (lease.lost = spare.pop() ?? new AbortController())
    const attempt = async (): Promise<Reading> => {
      try {
        const reading = await check(task, lost.signal)
        if (reading.kind === 'failed' && reading.fault.code === 'internal')
          logFault(reading.cause, reading.fault.message)
        return reading
      } catch (error) {
        logFault(error, INTERNAL.message)
        return { kind: 'failed', fetchMethod: null, fault: INTERNAL, retryAfterMs: 0 }
      }
    }
    const logFault = (err: unknown, reason: string) =>
      log.error(
        { err, reason, run_id: task.runId, monitor_id: task.monitorId },
        'a check ended with an internal error; it is tried twice',
      )
    try {
      const first = await attempt()
      if (first.kind !== 'failed' || first.fault.code !== 'internal') return first
      return lost.signal.aborted ? { kind: 'abandoned' } : await attempt()
    } finally {
      // An aborted controller is kept with its lease, so that a drain gives the check back.
      if (!lost.signal.aborted) {
        spare.push(lost)
        lease.lost = undefined
      }
    }
  }
}

const INTERNAL = {
  code: 'internal',
  message: 'The check failed through an internal error; the log has the details under the run id.',
} as const

/** Returns the current time by the store's clock, as far as this process knows it. */
export function storeTime(task: Task): number {
  return Math.round(task.claimedMs + (performance.now() - task.claimedAt))
}
