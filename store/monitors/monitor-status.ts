import { FAILURES_UNTIL_ERROR } from '../../core/schedule.ts'
import type { MonitorStatus } from '../../schema/monitor/monitor.ts'

/*
 * A monitor. Its status is derived, never stored.
 *
 *     active          scheduled
 *     error           scheduled, backing off: five checks failed in a row; the next success makes it active
 *     paused          not scheduled: a user paused it
 *     billing_paused  locked, whether paused or not; a pause stays after the lock ends
 *     deleted         final: not found, its runs stay readable
 *
 *     from            pause     resume          delete
 *     active          paused    active          deleted
 *     error           paused    active + run    deleted
 *     paused          paused    active + run    deleted
 *     billing_paused  refused   refused         deleted
 *
 * A resume resets the count of failures. Otherwise a monitor that failed before would return as `error`.
 * test/spec/states.test.ts tests every row of the table.
 */

/** The facts that determine a status. */
interface StatusFacts {
  readonly locked: boolean
  readonly paused: boolean
  readonly failures: number
}

/**
 * Returns the status of a monitor that is not deleted. A lock by billing takes precedence over a pause, because the
 * lock is the reason why a resume is refused.
 */
export function monitorStatus({ locked, paused, failures }: StatusFacts): MonitorStatus {
  if (locked) return 'billing_paused'
  if (paused) return 'paused'
  return failures >= FAILURES_UNTIL_ERROR ? 'error' : 'active'
}
