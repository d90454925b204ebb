/** Monitors are numbered below this. */
export const MONITOR_NUMBERS = 2 ** 40
/** `random` of `newRunId` is a whole number below this: 34 bits. */
export const RUN_ID_RANDOM = 2 ** 34

const RANDOM_TAIL = 2 ** 22

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/**
 * Returns an id as `new_run_id` of the database makes it, laid out as core/run-id.ts says. `nowMs`: milliseconds since
 * the epoch, below 2^48; `monitorNo`: below 2^40; `random`: below 2^34, whose low 22 bits become the tail.
 */
export function newRunId(nowMs: number, monitorNo: number, random: number): string {
  const tail = random % RANDOM_TAIL
  const head = (random - tail) / RANDOM_TAIL
  // The lower half: variant and the monitor's upper 30 bits make 32 bits; its lower 10 bits and the tail the other 32.
  const upper = 0x8000_0000 + Math.floor(monitorNo / 1024)
  const lower = (monitorNo % 1024) * RANDOM_TAIL + tail
  return dashed(`${hex(nowMs, 12)}7${hex(head, 3)}${hex(upper, 8)}${hex(lower, 8)}`)
}

/** Returns the smallest id of an instant (milliseconds since the epoch), as `run_id_floor` of the database does. */
export function runIdFloor(ms: number): string {
  return dashed(hex(ms, 12).padEnd(32, '0'))
}

/** Returns the smallest id of the month (UTC) that the instant lies in. */
export function monthFloorId(ms: number): string {
  const at = new Date(ms)
  return runIdFloor(Date.UTC(at.getUTCFullYear(), at.getUTCMonth()))
}

function dashed(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
