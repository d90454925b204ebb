import type { RunStatus } from '../../schema/run.ts'

/**
 * A run (spec, Run; DESIGN §3 and §4.26).
 *
 *     running   from the moment it is queued or claimed; a lost worker's run goes on as the same run under another lease
 *     success   fetched and extracted, whether or not anything differs or fires
 *     error     could not be fetched or extracted, or was cut short: its monitor was deleted meanwhile
 *     skipped   never started: a SERP check that needs more runs than are left
 *
 *     from      event        to
 *     (none)    start        running
 *     (none)    skip         skipped
 *     running   succeed      success
 *     running   fail         error
 *
 * The other three are final: a late writer changes nothing.
 */
export type RunEvent = 'start' | 'skip' | 'succeed' | 'fail'

const NEXT: Readonly<Record<RunStatus | 'none', Partial<Record<RunEvent, RunStatus>>>> = {
  none: { start: 'running', skip: 'skipped' },
  running: { succeed: 'success', fail: 'error' },
  success: {},
  error: {},
  skipped: {},
}

/** Where an event takes a run; null when it cannot happen there. `status` null: there is no run yet. */
export function nextRunStatus(status: RunStatus | null, event: RunEvent): RunStatus | null {
  return NEXT[status ?? 'none'][event] ?? null
}

/** True for a status that never changes again. */
export function isFinal(status: RunStatus): boolean {
  return Object.keys(NEXT[status]).length === 0
}
