import { runIdTime } from '../../core/run-id.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { FailedRun } from '../../store/queue/record-failed.ts'
import type { UnchangedRun } from '../../store/queue/record-unchanged.ts'
import type { PageMark } from '../../runners/check/reading.ts'
import type { Recordable } from './recordable.ts'

/** A run that waited for its worker longer than an int4 of milliseconds holds (24 days) is told with that. */
const LONGEST_MS = 2 ** 31 - 1
const span = (from: number, to: number) => Math.min(LONGEST_MS, Math.max(0, to - from))

/** The columns that every finished check has. */
export function runColumns({ task, reading, startedMs, endedMs }: Recordable) {
  return {
    no: task.no,
    fence: task.fence,
    run_id: task.runId,
    start_offset_ms: span(runIdTime(task.runId), startedMs),
    duration_ms: span(startedMs, endedMs),
    fetch_method: reading.fetchMethod ?? 'static',
  }
}

/** What lets the next check see that nothing changed. */
export function markColumns({ etag, lastModified, bodyHash }: PageMark) {
  return { etag, last_modified: lastModified, body_hash: bodyHash && Buffer.from(bodyHash) }
}

export function failedRow(finished: Recordable, fault: RunFault, retryAfterMs: number): FailedRun {
  // A failure may come from no layer at all.
  const fetchMethod = finished.reading.fetchMethod
  // Whole, as the column is: a fraction would cost the whole batch its record.
  const wait = Math.max(0, Math.ceil(retryAfterMs))
  const error = { error_code: fault.code, error_message: fault.message, retry_after_ms: wait }
  return { ...runColumns(finished), fetch_method: fetchMethod, ...error }
}

export function unchangedRow(finished: Recordable, mark: PageMark): UnchangedRun {
  return { ...runColumns(finished), ...markColumns(mark) }
}
