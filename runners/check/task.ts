import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { RequestConfig } from '../../schema/monitor/request-config.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import type { CheckQueue } from '../../core/check-queue.ts'
import type { PageMark } from './reading.ts'

/** A claimed check: all that fetching and extracting need. */
export interface Task {
  readonly no: number
  readonly fence: number
  readonly runId: string
  readonly monitorId: string
  readonly queue: CheckQueue
  readonly url: string
  /** Host and port of the target: the key of the concurrency cap. */
  readonly host: string
  /** Whose it is, for the turns that teams take at a host; absent where that is not told, as to a runner. */
  readonly team?: string
  readonly extract: ExtractConfig
  readonly request: RequestConfig | null
  readonly visual: VisualConfig | null
  readonly headers: Readonly<Record<string, string>> | null
  /** Why this check cannot be done at all, in the words of its run's error; null: nothing stands in its way. */
  readonly obstacle: string | null
  /** The page needed a browser once; now the static layer is tried beside it, whether it gives the same. */
  readonly triesStatic: boolean
  /** The page behind the baseline; null when there is no baseline, so that the page is read whatever it is. */
  readonly last: PageMark | null
  /**
   * When it was due and when it was claimed, in ms by the store's clock; due is null for a run that a person asked for.
   */
  readonly dueMs: number | null
  readonly claimedMs: number
  /** `performance.now()` at the claim: together with `claimedMs` it gives later instants without asking the store. */
  readonly claimedAt: number
}
