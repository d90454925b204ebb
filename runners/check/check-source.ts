import type { Reading } from './reading.ts'
import type { Task } from './task.ts'

/** A finished check, to be recorded. */
export interface Finished<T extends Task = Task> {
  readonly task: T
  readonly reading: Exclude<Reading, { kind: 'abandoned' }>
  /** Start and end of the check, in ms by the store's clock. */
  readonly startedMs: number
  readonly endedMs: number
}

/**
 * Where a runner gets checks and hands in their outcomes. In process it is the store itself
 * (`createPostgresCheckSource`). Runner pods use the same four verbs over HTTP, without a database password.
 */
export interface CheckSource {
  /**
   * Returns due checks, at most `limit`; an empty list when there are none. Rejects when the store is unavailable. Due
   * checks of `exceptTeams` are left to other processes.
   */
  claim(limit: number, exceptTeams?: readonly string[]): Promise<readonly Task[]>
  /** Extends the leases. Returns the numbers of the checks that are still leased. */
  heartbeat(tasks: readonly Task[]): Promise<ReadonlySet<number>>
  /**
   * Accepts the outcome. Resolves when it is recorded, or void because the fencing token is out of date. Until then the
   * task counts as leased. Text is first sent to the model, which may take long. The signal ends that, and then nothing
   * is recorded.
   */
  complete(finished: Finished, signal?: AbortSignal): Promise<void>
  /** Releases checks without recording them; they are due again after the delay in ms. */
  release(tasks: readonly Task[], delayMs: number): Promise<void>
}
