import type { Logger } from '../../core/logger.ts'
import type { HealthBefore } from '../../core/run-notices.ts'
import type { Task } from '../../runners/check/task.ts'
import type { PatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import type { TextDiffer } from '../../runners/text-diff/text-differ.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { Store } from '../../store/db/client.ts'
import type { SearchRecording } from '../../store/queue/record-search.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Pictures } from '../pictures/pictures.ts'
import type { Recordable, RunEnd, RunWriters } from './run-writers.ts'

/** What the recorder needs to know of a check besides its outcome. */
export interface RecordContext {
  readonly teamId: string
  /** Hash of the baseline's reading; null if there is none. */
  readonly readingHash: Uint8Array | null
  /** The layers whose last reading is the baseline, as bits. */
  readonly readBy: number
  readonly health: HealthBefore
  /** For the log. */
  readonly monitorName: string
}

/** The trusted side of a check: compares, decides, and writes in batches. */
export interface Recorder {
  /**
   * Resolves when the outcome is recorded, or when it is void because the fence was lost. Never rejects: an outcome
   * that cannot be written is logged, and its lease expires.
   */
  record(finished: Recordable, context: RecordContext): Promise<void>
  settle(): Promise<void>
}

/** A check that ended, to be compared and recorded. */
export interface Ended<T extends Task = Task> {
  readonly finished: Recordable
  readonly task: T
  readonly context: RecordContext
}

/** What comparing and recording need of their process. */
export interface RecordingOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly patterns: PatternMatcher
  /** Compares and stores screenshots. Without it, a check that took screenshots fails. */
  readonly pictures?: Pictures
  readonly log: Logger
  /** Called when a batch wrote deliveries: wakes the delivery loop of this process. */
  readonly onDeliveries: () => void
  /** Compares texts of pages for messages. Without it, they say only that the page changed. */
  readonly differ?: TextDiffer
  /** Called when a batch may have written a notice: wakes the notice loop of this process. */
  readonly onNotices?: () => void
  /** Called for each run that ends with an internal error, for a metric. */
  readonly onInternalError?: () => void
  /** Of searches; absent: there is no mail server, and checks of searches are not spaced. */
  readonly searches?: SearchRecording | undefined
  /** How long a batch is retried while the store is away: no longer than its leases last. */
  readonly patienceMs: number
}

/** The same with what the recorder gives. */
export interface RecordingParts extends RecordingOptions {
  readonly writers: RunWriters
  /** Logs and counts a run that ends with an internal error. */
  readonly onFault: (task: Task, fault: RunFault) => void
}

/** Compares and writes the ends of checks of one kind. */
export interface Recording<T extends Task = Task> {
  /** Returns how the run ended; null: the fence is lost, and nothing was written. */
  record(ended: Ended<T>): Promise<RunEnd | null>
}

export const NOT_OF_KIND =
  'The outcome is not of the kind that the monitor has; the log has the details under the run id.'
