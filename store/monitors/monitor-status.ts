import { sql } from 'slonik'
import { FAILURES_UNTIL_ERROR } from '../../core/schedule.ts'
import type { ListedStatus, MonitorStatus } from '../../schema/monitor/monitor.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { RunsOfKind } from '../queue/runs-of-kind.ts'

/*
 * A monitor. Its status is derived, never stored.
 *
 *     active          scheduled
 *     error           scheduled, backing off: five checks failed in a row; the next success makes it active
 *     paused          not scheduled: a user paused it, or its manifest suspends it
 *     billing_paused  locked, whether paused or not; a pause stays after the lock ends
 *     deleted         final: not found, a run is read by its id
 *
 *     from            pause     resume          delete
 *     active          paused    active          deleted
 *     error           paused    active + run    deleted
 *     paused          paused    active + run    deleted
 *     billing_paused  refused   refused         deleted
 *
 * A monitor of a kind that does not back off is never in `error`: a search is paused after ten failed checks in a row.
 *
 * A resume resets the count of failures. Otherwise a monitor that failed before would return as `error`.
 * test/spec/monitors/states.test.ts tests every row of the table.
 */

/** The facts that determine a status. */
interface StatusFacts {
  readonly locked: boolean
  readonly paused: boolean
  readonly suspended: boolean
  readonly failures: number
}

/**
 * Returns the status of a monitor that is not deleted. A lock by billing takes precedence over a pause, because the
 * lock is the reason why a resume is refused.
 */
export function monitorStatus(
  { backsOff }: RunsOfKind,
  { locked, paused, suspended, failures }: StatusFacts,
): MonitorStatus {
  if (locked) return 'billing_paused'
  if (paused || suspended) return 'paused'
  return backsOff && failures >= FAILURES_UNTIL_ERROR ? 'error' : 'active'
}

/** Returns the condition of `monitors m` of a kind under which `monitorStatus` gives this status. */
export function hasStatus({ backsOff }: RunsOfKind, status: ListedStatus) {
  const failures = sql.literalValue(String(FAILURES_UNTIL_ERROR))
  const failing = backsOff
    ? sql.fragment`exists (
        select from checks c where c.no = m.no and c.team_id = m.team_id and c.failures >= ${failures}::int)`
    : sql.fragment`false`
  switch (status) {
    case 'billing_paused':
      return sql.fragment`m.locked`
    case 'paused':
      return sql.fragment`(m.paused or m.suspended) and not m.locked`
    case 'error':
      return sql.fragment`not m.locked and not m.paused and not m.suspended and ${failing}`
    case 'active':
      return sql.fragment`not m.locked and not m.paused and not m.suspended and not (${failing})`
  }
}

/** Returns the status of `monitors m join checks c` of any of these kinds, as `monitorStatus` gives it. */
export const statusOf = (kinds: readonly { readonly kind: MonitorKind; readonly runs: RunsOfKind }[]) => {
  const backingOff = kinds.filter(({ runs }) => runs.backsOff).map(({ kind }) => kind)
  const failures = sql.literalValue(String(FAILURES_UNTIL_ERROR))
  return sql.fragment`case
    when m.locked then 'billing_paused'
    when m.paused or m.suspended then 'paused'
    when c.failures >= ${failures}::int and m.kind = any(${sql.array(backingOff, 'text')}) then 'error'
    else 'active' end`
}
