import type { CheckQueue } from '../../core/check-queue.ts'
import type { Claimed } from '../../store/queue/claim.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { RecordContext } from '../record/recording.ts'

/** How a check was claimed. */
export interface Claiming {
  readonly queue: CheckQueue
  /** `performance.now()` before the claim. */
  readonly claimedAt: number
  readonly secrets: SecretBox
  readonly hasModel: boolean
}

/**
 * Returns the fields that every task has. The team decides whose turn it is. Its id stays in this process: a runner is
 * given a hash.
 */
export function knownOf(row: Claimed, { claimedAt }: Pick<Claiming, 'claimedAt'>) {
  return {
    no: row.no,
    fence: row.fence,
    runId: row.run_id,
    monitorId: row.monitor_id,
    team: row.team_id,
    teamKey: row.team_id,
    dueMs: row.due_ms,
    claimedMs: row.claimed_ms,
    claimedAt,
  }
}

/** Returns what the recorder needs besides the outcome. */
export const contextOf = (row: Claimed): RecordContext => ({
  teamId: row.team_id,
  readingHash: row.reading_hash,
  readBy: row.read_by,
  health: { failures: row.failures, wasFailing: row.was_failing },
  monitorName: row.name,
})
