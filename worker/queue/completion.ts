import type { Issue } from '../../schema/validation/issue.ts'

/** Who claims: the number of a token, and the one isolated check or asked work that it is for. */
export interface RunnerHolder {
  readonly id: number
  readonly checkNo: number | null
}

/** The result of completing a check, or asked work. */
export type Completion =
  | { readonly kind: 'settled' }
  /**
   * It is not leased with this token, or not any more: it was recorded or edited, another runner has it, or nobody
   * waits for it.
   */
  | { readonly kind: 'not_held' }
  /** The signal or a stop came first; the check is still leased. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] }
