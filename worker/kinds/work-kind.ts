import type { CheckQueue } from '../../core/check-queue.ts'
import type { Finished } from '../../runners/check/check-source.ts'
import type { CheckKind } from '../../runners/check/kinds/check-kind.ts'
import type { Task } from '../../runners/check/task.ts'
import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import type { Store } from '../../store/db/client.ts'
import type { Claimed, ClaimedKind } from '../../store/queue/claim.ts'
import type { Held } from '../../store/queue/lease.ts'
import type { Prompts } from '../prompts/prompts-port.ts'
import type { Claiming } from '../queue/claimed.ts'
import type { CheckedOutcome, HeldTask, ReportedOutcome } from '../queue/reported-outcome.ts'
import type { RecordContext, Recorder, Recording, RecordingParts } from '../record/recording.ts'
import type { Searches } from '../searches/searches.ts'

/**
 * What a worker does with the checks of one kind of monitor. Those who handle all kinds alike take it without
 * arguments.
 */
export interface WorkKind<T extends Task = Task, Row extends Claimed = Claimed> extends CheckKind<T> {
  /** What a claim selects of its checks. */
  readonly claimed: ClaimedKind
  /** The queue that only its checks are in. Absent: they are in those of the layers of a fetch, with other kinds. */
  readonly queue?: {
    readonly name: CheckQueue
    claim(parts: ClaimParts, limit: number, asking: Asking): Promise<readonly Row[]>
  }
  /** Returns the task for a claimed row. */
  taskOf(row: Row, claiming: Claiming): T
  /** Its checks may go through the proxy as a last resort. */
  readonly isProxied: boolean
  /** Checks what a runner reports against the task. */
  outcomeOf(reported: ReportedOutcome, held: HeldTask<T>): CheckedOutcome
  /** Returns the outcome of a claimed check that needs no runner; null: it needs one. Absent: each does. */
  withoutRunner?(task: T): Finished['reading'] | null
  /**
   * What a check holds beside its lease, whether a monitor or a person asked for it: the exit of an engine. Absent:
   * nothing.
   */
  readonly exits?: {
    keep(store: Store, held: readonly Held[], leaseSeconds: number, holder?: number): Promise<void>
    free(store: Store, held: readonly Held[], spacingMs: number, holder?: number): Promise<void>
    /** Frees that of asked work which ended. */
    end(
      store: Store,
      ended: { readonly task: T; readonly reading: Finished['reading'] },
      spacingMs: number,
    ): Promise<void>
  }
  /** Returns what is done with checks that ended, before they are recorded or in place of it. */
  settling(parts: SettlingParts): Settling<T>
  /** Returns what compares and writes the ends of checks. */
  recording(parts: RecordingParts): Recording<T>
}

/** Returns the queues that only the checks of one kind are in. */
export const queuesOf = (kinds: readonly WorkKind[]): readonly CheckQueue[] =>
  kinds.flatMap(({ queue }) => (queue ? [queue.name] : []))

/** How searches are claimed. */
export interface SearchClaims {
  /**
   * The name of the address that they come from (`TIDEMARK_EXIT_NAME`). A runner tells its own. Null: this process asks
   * no engines, and claims only what asks none.
   */
  readonly exit: string | null
  /** A paid provider answers for Google when Google refuses. */
  readonly hasProvider: boolean
}

interface ClaimParts {
  readonly store: Store
  readonly leaseSeconds: number
  /** Absent: the defaults of the settings. */
  readonly search?: SearchClaims | undefined
}

/** Who asks for checks. */
export interface Asking {
  /** The runner token that the checks are claimed with; null: this process runs them itself. */
  readonly holder: number | null
  /** The exit of a runner's searches. Null: it does none. Absent: that of this process. */
  readonly exit?: string | null | undefined
  /** Claims this isolated check and no other. Absent or null: any that is not isolated. */
  readonly only?: number | null
  /** Teams whose pages are left to other processes. Absent: none. */
  readonly exceptTeams?: readonly string[] | undefined
  /** The level of who does the checks. Absent: that of this process. */
  readonly level?: number | undefined
}

/** What the end of a search needs. */
export interface SearchSettling {
  /** `TIDEMARK_SERP_SPACING_MS`. */
  readonly spacingMs: number
  /** Absent: the outcome is recorded as it is. */
  readonly searches?: Searches | undefined
}

export interface SettlingParts {
  readonly store: Store
  readonly recorder: Recorder
  /** Asks the model; null: this installation has no model. */
  readonly prompts: Prompts | null
  /** Treats answers of the model. Absent: no check has treatments. */
  readonly extractor?: Pick<Extractor, 'read'> | undefined
  readonly search?: SearchSettling | undefined
}

/** The trusted side of a check that ended. */
export interface Settling<T extends Task = Task> {
  /**
   * Returns false if the signal or a stop came before what it waits for; then nothing was done and the check is still
   * leased.
   */
  settle(finished: Finished<T>, context: RecordContext, signal: AbortSignal): Promise<boolean>
}
