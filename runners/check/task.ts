import type { CheckQueue, PageQueue } from '../../core/check-queue.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { RequestConfig } from '../../schema/monitor/request-config.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import type { FetchReason } from '../../schema/run/run.ts'
import type { SerpSearch } from '../../schema/serp/serp-search.ts'
import type { PageMark } from './reading.ts'

/** A claimed check of a kind of monitor: what every one has. The files of a kind know what else its checks have. */
export interface Task<Kind extends string = string> {
  readonly kind: Kind
  readonly queue: CheckQueue
  readonly no: number
  readonly fence: number
  readonly runId: string
  readonly monitorId: string
  /** Host and port of the target, or the name of a search engine: the key of the concurrency cap. */
  readonly host: string
  /** The team, for the turns that teams take at a host. Absent where it is not disclosed, as to a runner. */
  readonly team?: string
  /**
   * An opaque key of the team, for the turns that teams take at name lookups. A runner has a hash of the team's id
   * here. Absent: the check is nobody's.
   */
  readonly teamKey?: string | undefined
  /** Why this check cannot be done at all, as the message of its run's error; null: it can. */
  readonly obstacle: string | null
  /** When it was due and claimed, in ms by the store's clock; due is null for a run that a person asked for. */
  readonly dueMs: number | null
  readonly claimedMs: number
  /** `performance.now()` at the claim. With `claimedMs` it gives later times without asking the store. */
  readonly claimedAt: number
}

/** The reading that a page without its media has to have. */
export interface KnownReading {
  readonly readingHash: Uint8Array
  /** The layers that read it, as bits (core/layer-bit.ts). */
  readonly readBy: number
}

/** A claimed check of a page: all that fetching and extracting need. */
export interface PageTask extends Task<'page'> {
  readonly queue: PageQueue
  readonly url: string
  readonly extract: ExtractConfig
  readonly request: RequestConfig | null
  readonly visual: VisualConfig | null
  readonly headers: Readonly<Record<string, string>> | null
  /** The page needed a browser once; now the static layer is tried beside it, whether it gives the same. */
  readonly triesStatic: boolean
  /**
   * Rules had no match in the direct answer: whether the browser finds more is tried, once. Absent: no. With it
   * `triesStatic` is true.
   */
  readonly rendersMissing?: boolean
  /**
   * The page is rendered without its media first, and with them where it then reads otherwise. Absent: it is rendered
   * with everything.
   */
  readonly withoutMedia?: KnownReading
  /** The reading is to say how the answer was fetched, for a person. Absent: no. */
  readonly asksFetched?: boolean
  /** Somebody wants to see the page, and no values of it. Absent: no. */
  readonly looks?: boolean
  /** Why it is not in the queue of direct requests; null: it is. */
  readonly reason: FetchReason | null
  /** The page behind the baseline; null when there is no baseline, so that the page is read whatever it is. */
  readonly last: PageMark | null
}

/** A claimed check of a search: what is asked of the engine. */
export interface SerpTask extends Task<'serp'> {
  readonly queue: 'serp'
  readonly search: SerpSearch
  /** The engine refused, and is not asked before this time, in ms by the store's clock. Null: it may be asked. */
  readonly refusedUntilMs: number | null
}
