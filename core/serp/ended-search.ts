import type { EngineFailure, SearchReading, ShownBlocks } from '../../schema/serp/search-reading.ts'
import type { SerpCheck } from '../../schema/serp/serp-check.ts'

/** Results, and what the engine did where a provider gave them in its place. `engine` is absent where it gave them. */
interface Found {
  readonly kind: 'search'
  readonly search: SearchReading
  readonly engine?: EngineFailure
}

/** How a search ended. Of one that failed, `engine` is absent where the engine did nothing. */
type EndedSearch = Found | { readonly kind: 'failed'; readonly engine?: EngineFailure }

/** Who gave the results of a check. */
export type SearchSource = 'engine' | 'provider'

export const sourceOf = ({ engine }: Pick<Found, 'engine'>): SearchSource =>
  engine === undefined ? 'engine' : 'provider'

/**
 * Returns what the engine itself did. `refused`: on the first page or on a later one. `healthy`: it answered as it
 * should.
 */
export function engineActs(ended: EndedSearch): { readonly refused: boolean; readonly healthy: boolean } {
  const own = ended.engine?.outcome
  if (ended.kind === 'failed' || own !== undefined) return { refused: own === 'blocked', healthy: false }
  const refused = ended.search.cut_by === 'blocked'
  return { refused, healthy: !refused }
}

/** Returns what a run or a preview says of the search. `lateMs` is null where a person asked for it. */
export function serpCheckOf(ended: EndedSearch, lateMs: number | null): SerpCheck {
  if (ended.kind === 'failed') {
    const { outcome = 'failed', country = 'approximate', marker = '' } = ended.engine ?? {}
    const nothing = { source: null, pages: 0, cut_by: null, is_guess: false }
    return { outcome, ...nothing, country, late_ms: lateMs, marker }
  }
  const { outcome, page_ends, cut_by, is_guess, country, marker } = ended.search
  const found = { outcome, source: sourceOf(ended), pages: page_ends.length, cut_by, is_guess }
  return { ...found, country, late_ms: lateMs, marker }
}

/** What is shown is not known. */
export const UNTOLD: ShownBlocks = { ai_overview: null, featured_snippet: null }

/** Returns what is shown beside the results, with the names that runs and previews have for it. */
export const presentOf = ({ ai_overview, featured_snippet }: ShownBlocks) => ({
  ai_overview_present: ai_overview,
  featured_snippet_present: featured_snippet,
})
