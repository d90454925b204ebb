import { FAILURES_UNTIL_ERROR } from '../../core/schedule.ts'
import type { MonitorStatus } from '../../schema/monitor/monitor.ts'

/*
 * A monitor. Its status is derived, never stored.
 *
 *     active          scheduled
 *     error           scheduled, backing off: five checks failed in a row; the next success makes it active
 *     paused          not scheduled: a person paused it
 *     billing_paused  locked, whether it was paused before or not: a pause outlasts a lock
 *     deleted         final: not found, its runs stay readable
 *
 *     from            pause     resume          delete
 *     active          paused    active          deleted
 *     error           paused    active + run    deleted
 *     paused          paused    active + run    deleted
 *     billing_paused  refused   refused         deleted
 *
 * A resume counts failures anew, else a monitor that failed before would come back as `error`. test/spec/states.test.ts
 * goes through the table.
 */

/** What a status is derived from. */
interface StatusFacts {
  readonly locked: boolean
  readonly paused: boolean
  readonly failures: number
}

/** The status of a monitor that is not deleted. A lock by billing shows before a pause: it is what refuses a resume. */
export function monitorStatus({ locked, paused, failures }: StatusFacts): MonitorStatus {
  if (locked) return 'billing_paused'
  if (paused) return 'paused'
  return failures >= FAILURES_UNTIL_ERROR ? 'error' : 'active'
}
