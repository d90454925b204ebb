import type { Reading } from './reading.ts'
import type { Task } from './task.ts'

/** A check that ended, to be recorded. */
export interface Finished {
  readonly task: Task
  readonly reading: Exclude<Reading, { kind: 'abandoned' }>
  /** Start and end of the check, in ms by the store's clock. */
  readonly startedMs: number
  readonly endedMs: number
}

/**
 * Where a runner gets checks and gives back what it found. In process it is the store itself (`createPostgresLane`);
 * runner pods will speak to the same four verbs over HTTP, without a database password.
 */
export interface Lane {
  /** Due checks, at most `limit`; an empty list when there are none. Rejects when the store is away. */
  claim(limit: number): Promise<readonly Task[]>
  /** Extends the leases; answers the numbers still held. */
  heartbeat(tasks: readonly Task[]): Promise<ReadonlySet<number>>
  /**
   * Takes the outcome over. Resolves once it is recorded, or void because the fence was lost; until then the task
   * counts as held. Text is taken to the model first, which may take its time; the signal ends that, and nothing is
   * recorded then.
   */
  complete(finished: Finished, signal?: AbortSignal): Promise<void>
  /** Gives checks back unrecorded; they are due again after the delay in ms. */
  release(tasks: readonly Task[], delayMs: number): Promise<void>
}
