import { FAILURES_UNTIL_ERROR } from '../core/schedule.ts'
import type { MonitorStatus } from '../schema/monitor.ts'

/** What a status is derived from; it is never stored. */
export interface StatusFacts {
  readonly locked: boolean
  readonly paused: boolean
  readonly failures: number
}

/** The status of a monitor that is not deleted (spec, States). A lock by billing shows before a pause: it is what refuses a resume. */
export function monitorStatus({ locked, paused, failures }: StatusFacts): MonitorStatus {
  if (locked) return 'billing_paused'
  if (paused) return 'paused'
  return failures >= FAILURES_UNTIL_ERROR ? 'error' : 'active'
}
