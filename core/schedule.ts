/**
 * The time at which a check runs next. Times are milliseconds since the epoch. The hot path does the same in SQL
 * (`next_run` of migration 000003, and `record_failed`); both must return the results in `schedule-examples.ts`.
 *
 *     grid(scheduledFor, now) = scheduledFor                                     when scheduledFor > now
 *                             = scheduledFor + (first ? shift : 0)
 *                               + interval * (1 + floor((now - scheduledFor) / interval))   otherwise
 *     next = grid                                                                after a success
 *          = max(grid, now + max(backoff(failures), retryAfter))                 after a failure
 *
 * So missed ticks become one, and the next time is always in the future. A manual run before the scheduled time leaves
 * the schedule as it is. After a wait that ends off the grid, the grid continues from there.
 */

/** Consecutive failures from which a monitor's status is `error` and its checks back off. */
export const FAILURES_UNTIL_ERROR = 5
const MAX_SHIFT_SECONDS = 30
const LONGEST_BACKOFF_SECONDS = 900
const MAX_DOUBLINGS = 20

/**
 * Returns the seconds by which a monitor's runs after the first one are shifted, once: a whole number from 0 to min(10
 * % of the interval, 30). It comes from a hash (FNV-1a, 32 bits) of the monitor's id, so that monitors created together
 * do not always fire together.
 */
export function shiftSeconds(monitorId: string, intervalSeconds: number): number {
  const most = Math.min(Math.floor(intervalSeconds / 10), MAX_SHIFT_SECONDS)
  return fnv1a(monitorId.toLowerCase()) % (most + 1)
}

/**
 * Returns the least number of seconds that a check waits after its n-th failure in a row: 0 below the fifth, then twice
 * the interval, four times, …, at most max(interval, 15 minutes).
 */
export function backoffSeconds(failures: number, intervalSeconds: number): number {
  if (failures < FAILURES_UNTIL_ERROR) return 0
  const doublings = Math.min(failures - FAILURES_UNTIL_ERROR + 1, MAX_DOUBLINGS)
  return Math.min(intervalSeconds * 2 ** doublings, Math.max(intervalSeconds, LONGEST_BACKOFF_SECONDS))
}

/** The values that the next time is calculated from. */
export interface ScheduleInput {
  /**
   * The nominal time of the completed check, or of the scheduled one that a manual run preceded; null: not scheduled
   * (paused).
   */
  readonly scheduledFor: number | null
  readonly now: number
  readonly intervalSeconds: number
  readonly shiftSeconds: number
  /** The monitor had no run before this one. */
  readonly firstRun: boolean
  /** Failures in a row, the last one included; 0 after a success. */
  readonly failures: number
  /** How long the target asked Tidemark to wait; 0: it did not ask. Used after a failure only. */
  readonly retryAfterMs: number
}

/** Returns the nominal time of the next run; null when the check is not scheduled. */
export function nextRun(input: ScheduleInput): number | null {
  const { scheduledFor, now, intervalSeconds, failures, retryAfterMs } = input
  if (scheduledFor === null) return null
  const grid = onGrid(scheduledFor, input)
  if (failures === 0) return grid
  return Math.max(grid, now + Math.max(backoffSeconds(failures, intervalSeconds) * 1000, retryAfterMs))
}

function onGrid(scheduledFor: number, { now, intervalSeconds, shiftSeconds: shift, firstRun }: ScheduleInput): number {
  if (scheduledFor > now) return scheduledFor
  const interval = intervalSeconds * 1000
  return scheduledFor + (firstRun ? shift * 1000 : 0) + interval * (1 + Math.floor((now - scheduledFor) / interval))
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
