/**
 * When a check runs next. Times are milliseconds since the epoch. The hot path does the same in SQL (`next_run` of
 * store/migrations, and `record_failed`); `schedule-examples.ts` holds what both must return.
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
/** Consecutive failures with which a monitor of a search is paused. */
export const FAILURES_UNTIL_PAUSED = 10
/** The number of readings in a row that must lack a field, or every field, before this is reported. */
export const READINGS_UNTIL_NOTICE = 3
const MAX_SHIFT_SECONDS = 30

/**
 * Returns the seconds by which a monitor's runs after the first one are shifted, once: a whole number from 0 to min(10
 * % of the interval, 30). It comes from a hash (FNV-1a, 32 bits) of the monitor's id, so that monitors created together
 * do not always fire together.
 */
export function shiftSeconds(monitorId: string, intervalSeconds: number): number {
  const most = Math.min(Math.floor(intervalSeconds / 10), MAX_SHIFT_SECONDS)
  return fnv1a(monitorId.toLowerCase()) % (most + 1)
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
