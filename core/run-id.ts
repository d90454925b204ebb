/**
 * Ids of runs: UUIDv7 that carry their monitor's number, so that a run is found by (monitor_no, id) without an index on
 * the id alone, and so that an id finds its month's partition. The SQL twin is `new_run_id` (store/migrations).
 *
 *     48 bits  milliseconds since the epoch
 *      4 bits  version 7
 *     12 bits  random
 *      2 bits  variant 10
 *     40 bits  the monitor's number
 *     22 bits  random
 */

/** Returns the largest id below this one. */
export function idBefore(id: string): string {
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const RANDOM_TAIL = 2 ** 22

/** When the run was queued or claimed, in milliseconds since the epoch. Of another UUID: some number. */
export function runIdTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/**
 * Returns the number of the run's monitor. For another UUID it returns some number below 2^40, under which no such run
 * is found.
 */
export function runIdMonitor(id: string): number {
  const upper = Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16)
  const lower = Number.parseInt(id.slice(28, 36), 16)
  return (upper % 2 ** 30) * 1024 + Math.floor(lower / RANDOM_TAIL)
}
