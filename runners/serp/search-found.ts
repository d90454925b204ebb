import type { SearchReading } from '../../core/serp/kept-reading.ts'
import type { SerpCheck, SerpOutcome } from '../../schema/serp/serp-check.ts'

/** What a check of a search found. */
export interface SearchFound extends SearchReading {
  readonly outcome: 'ok' | 'zero'
  readonly source: NonNullable<SerpCheck['source']>
  readonly aiOverview: boolean | null
  readonly featuredSnippet: boolean | null
  /** Why a later page is missing; null: none is. */
  readonly cutBy: SerpCheck['cut_by']
  /** The engine itself refused, before a provider answered or on a later page. */
  readonly isRefused: boolean
  readonly country: SerpCheck['country']
  /** What decided about the outcome. */
  readonly marker: string
  readonly warnings: readonly string[]
  /** The page that was not recognized, or whose pager was not, compressed with gzip. */
  readonly unread?: Uint8Array
}

/** What an engine did when a check of a search obtained nothing. */
export interface SearchFailure {
  readonly outcome: Exclude<SerpOutcome, 'ok' | 'zero'>
  readonly country: SerpCheck['country']
  readonly marker: string
  /** The page that was not recognized, compressed with gzip. Never that of a refusal. */
  readonly unread?: Uint8Array
}
