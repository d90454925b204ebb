import type { Finished } from '../../runners/check/check-source.ts'
import type { Task } from '../../runners/check/task.ts'
import type { RunnerOutcome } from '../../schema/runner-api.ts'
import type { Issue } from '../../schema/validation/issue.ts'

/** A check that a runner has leased, as read from the store. */
export interface HeldTask<T extends Task = Task> {
  readonly task: T
  /** There is an earlier reading. */
  readonly hasBaseline: boolean
  /** Its fetch layer was chosen by the content of the page. */
  readonly layerIsRemembered: boolean
  /** Runners can reach a proxy. */
  readonly hasProxy: boolean
  /** Nothing of it is recorded. Default false. */
  readonly isPreview?: boolean
}

/** The outcome of a check as reported by a runner. */
export interface ReportedOutcome {
  readonly outcome: RunnerOutcome
  readonly pictures: readonly Uint8Array[]
}

export type CheckedOutcome =
  | { readonly ok: true; readonly reading: Finished['reading'] }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Returns an issue of the reading in an outcome. */
export const readingIssue = (path: string, message: string): Issue[] => [{ path: `reading.${path}`, message }]
