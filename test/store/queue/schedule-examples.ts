/**
 * What the next time of a check is made from, and what it must be. Times are milliseconds since the epoch.
 *
 *     grid(scheduledFor, now) = scheduledFor                                     when scheduledFor > now
 *                             = scheduledFor + (first ? shift : 0)
 *                               + interval * (1 + floor((now - scheduledFor) / interval))   otherwise
 *     next = grid                                                                after a success
 *          = max(grid, now + max(backoff(failures), retryAfter))                 after a failure
 *
 * So ticks that were missed become one, the next time always lies ahead of now, and a run that a person asked for
 * before its time leaves the schedule as it is. After a wait that ends off the grid, the grid goes on from there.
 */
interface ScheduleInput {
  /**
   * The nominal time of the check that has ended, or of the scheduled one that a person ran ahead of; null: not
   * scheduled (paused).
   */
  readonly scheduledFor: number | null
  readonly now: number
  readonly intervalSeconds: number
  readonly shiftSeconds: number
  /** The monitor had no run before this one. */
  readonly firstRun: boolean
  /** Failures in a row, the one that has just ended included; 0 after a success. */
  readonly failures: number
  /** How long the target asked to be left alone; 0: it did not. Looked at after a failure only. */
  readonly retryAfterMs: number
}

/** An expected next time, the same in TypeScript and in SQL. */
interface ScheduleExample {
  readonly title: string
  readonly input: ScheduleInput
  readonly next: number | null
}

const T = Date.UTC(2026, 4, 1, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const usual: ScheduleInput = {
  scheduledFor: T,
  now: T + 300,
  intervalSeconds: 60,
  shiftSeconds: 4,
  firstRun: false,
  failures: 0,
  retryAfterMs: 0,
}

const example = (title: string, input: Partial<ScheduleInput>, next: number | null): ScheduleExample => ({
  title,
  input: { ...usual, ...input },
  next,
})

/** The examples that both implementations are tested with. */
export const scheduleExamples: readonly ScheduleExample[] = [
  example('a check that ends in time runs again one interval later', {}, T + MINUTE),
  example('the time that a check takes does not move its schedule', { now: T + 59_999 }, T + MINUTE),
  example('a check that ends on the next tick waits for the one after it', { now: T + MINUTE }, T + 2 * MINUTE),
  example('a check that ends at its own nominal time runs one interval later', { now: T }, T + MINUTE),
  example('ticks missed in two days become one', { now: T + 48 * HOUR + 1 }, T + 48 * HOUR + MINUTE),
  example('the first run is followed by one that is shifted', { firstRun: true }, T + MINUTE + 4000),
  example(
    'the shift is added to a late first run too',
    { firstRun: true, now: T + 5.5 * MINUTE },
    T + 6 * MINUTE + 4000,
  ),
  example('a shift of 0 changes nothing', { firstRun: true, shiftSeconds: 0 }, T + MINUTE),
  example('a run ahead of its time leaves the schedule as it is', { now: T - 10_000 }, T),
  example('a first run ahead of its time is not shifted yet', { now: T - 10_000, firstRun: true }, T),
  example('a check that is not scheduled stays so', { scheduledFor: null }, null),
  example('a check that is not scheduled stays so after a failure', { scheduledFor: null, failures: 7 }, null),
  example('the fourth failure in a row does not back off', { failures: 4 }, T + MINUTE),
  example('the fifth failure waits twice the interval', { failures: 5 }, T + 300 + 2 * MINUTE),
  example('the sixth failure waits four times the interval', { failures: 6 }, T + 300 + 4 * MINUTE),
  example('a short interval backs off to 15 minutes at most', { failures: 9 }, T + 300 + 15 * MINUTE),
  example('more failures do not make the wait longer', { failures: 1_000_000 }, T + 300 + 15 * MINUTE),
  example(
    'an interval above 15 minutes is itself the longest wait',
    { failures: 8, intervalSeconds: 3600 },
    T + 300 + HOUR,
  ),
  example('an interval of ten minutes waits 15, not 20', { failures: 5, intervalSeconds: 600 }, T + 300 + 15 * MINUTE),
  example('the wait that a target asks for is kept', { failures: 1, retryAfterMs: 10 * MINUTE }, T + 300 + 10 * MINUTE),
  example('a wait that ends before the next tick changes nothing', { failures: 1, retryAfterMs: 5000 }, T + MINUTE),
  example(
    'the longer of back-off and asked-for wait counts',
    { failures: 5, retryAfterMs: 1000 },
    T + 300 + 2 * MINUTE,
  ),
  example('the wait that a target asks for counts after a failure only', { retryAfterMs: HOUR }, T + MINUTE),
]
