/**
 * What the service decides about times of checks before the database does. When a check runs next is decided in SQL
 * (`next_run` and `record_failed`), in the statement that records it.
 */

/** Consecutive failures from which a monitor's status is `error` and its checks back off. */
export const FAILURES_UNTIL_ERROR = 5
const MAX_SHIFT_SECONDS = 30

/**
 * Seconds by which a monitor's runs after the first one are shifted, once: a whole number from 0 to min(10 % of the
 * interval, 30), from a hash (FNV-1a, 32 bits) of the monitor's id, so that monitors made together do not fire together
 * for ever.
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
