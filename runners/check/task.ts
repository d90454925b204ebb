import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { RequestConfig } from '../../schema/monitor/request-config.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import type { CheckQueue } from '../../core/check-queue.ts'
import type { PageMark } from './reading.ts'

/** A claimed check, with all that fetching and extracting need. */
export interface Task {
  readonly no: number
  readonly fence: number
  readonly runId: string
  readonly monitorId: string
  readonly queue: CheckQueue
  readonly url: string
  /** Host and port of the target: the key of the concurrency cap. */
  readonly host: string
  /** The team, for the turns that teams take at a host. Absent where it is not disclosed, as to a runner. */
  readonly team?: string
  readonly extract: ExtractConfig
  readonly request: RequestConfig | null
  readonly visual: VisualConfig | null
  readonly headers: Readonly<Record<string, string>> | null
  /** Why this check cannot be done at all, as the message of its run's error; null: it can. */
  readonly obstacle: string | null
  /** The page needed a browser before; now the static layer is tried as well, to see whether it reads the same. */
  readonly triesStatic: boolean
  /** The page of the baseline. Null when there is no baseline, so that the page is always read. */
  readonly last: PageMark | null
  /**
   * When it was due and when it was claimed, in ms by the store's clock. Due is null for a run that a user requested.
   */
  readonly dueMs: number | null
  readonly claimedMs: number
  /** `performance.now()` at the claim. With `claimedMs` it gives later times without asking the store. */
  readonly claimedAt: number
}
