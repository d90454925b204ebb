import type { Issue } from '../../schema/validation/issue.ts'

/** Who claims: the number of a token, and the one isolated check or asked work that it is for. */
export interface RunnerHolder {
  readonly id: number
  readonly checkNo: number | null
  /** The level of the runner, as it says. Absent: 1. */
  readonly level?: number
}

/** The result of completing a check, or asked work. */
export type Completion =
  | { readonly kind: 'settled' }
  /**
   * It is not leased with this token, or not any more: it was recorded or edited, another runner has it, or nobody
   * waits for it.
   */
  | { readonly kind: 'not_held' }
  /** The signal or a stop came first, or a process of a later version must do it; the check is still leased. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] }
