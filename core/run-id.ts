/**
 * Ids of runs: UUIDv7 that contain their monitor's number. So a run is found by (monitor_no, id) without an index on
 * the id alone, and its month's partition is known from the id. The SQL twin is `new_run_id` (migration 000001).
 *
 *     48 bits  milliseconds since the epoch
 *      4 bits  version 7
 *     12 bits  random
 *      2 bits  variant 10
 *     40 bits  the monitor's number
 *     22 bits  random
 */

const MAX_TIME = 2 ** 48 - 1
/** Numbers of monitors are below this. */
export const MONITOR_NUMBERS = 2 ** 40
/** `random` of `newRunId` is a whole number below this: 34 bits. */
export const RUN_ID_RANDOM = 2 ** 34

const RANDOM_TAIL = 2 ** 22

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/**
 * Returns a new id. `nowMs`: milliseconds since the epoch; `monitorNo`: below 2^40; `random`: a whole number below
 * 2^34, whose low 22 bits become the tail. Throws a RangeError for anything else, because that is a bug of the caller.
 */
export function newRunId(nowMs: number, monitorNo: number, random: number): string {
  demand(nowMs, MAX_TIME + 1, 'time')
  demand(monitorNo, MONITOR_NUMBERS, 'monitor number')
  demand(random, RUN_ID_RANDOM, 'random number')
  const tail = random % RANDOM_TAIL
  const head = (random - tail) / RANDOM_TAIL
  // The lower half: variant and the monitor's upper 30 bits make 32 bits; its lower 10 bits and the tail make the other
  // 32.
  const upper = 0x8000_0000 + Math.floor(monitorNo / 1024)
  const lower = (monitorNo % 1024) * RANDOM_TAIL + tail
  return dashed(`${hex(nowMs, 12)}7${hex(head, 3)}${hex(upper, 8)}${hex(lower, 8)}`)
}

/** Returns whether the text has the format of a run id: any UUIDv7. Case does not matter. */
export function isRunId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(text)
}

/**
 * Returns when the run was queued or claimed, in milliseconds since the epoch. For another UUID it returns some number.
 */
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

/**
 * Returns the smallest id of an instant (milliseconds since the epoch), the bound of partitions and of retention. Its
 * SQL twin is `run_id_floor`.
 */
export function runIdFloor(ms: number): string {
  demand(ms, MAX_TIME + 1, 'time')
  return dashed(hex(ms, 12).padEnd(32, '0'))
}

/** Returns the smallest id of the instant's month (UTC). */
export function monthFloorId(ms: number): string {
  const at = new Date(ms)
  return runIdFloor(Date.UTC(at.getUTCFullYear(), at.getUTCMonth()))
}

/** Returns the month (UTC) of an instant as in the names of partitions: `2026_05`. */
export function monthOf(ms: number): string {
  const at = new Date(ms)
  return `${at.getUTCFullYear()}_${String(at.getUTCMonth() + 1).padStart(2, '0')}`
}

function demand(value: number, below: number, what: string): void {
  if (!Number.isInteger(value) || value < 0 || value >= below)
    throw new RangeError(`A run id cannot hold the ${what} ${value}`)
}

function dashed(digits: string): string {
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    '-',
  )
}
