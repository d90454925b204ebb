import type { SearchReading } from '../../schema/serp/search-reading.ts'
import type { SerpSearch } from '../../schema/serp/serp-search.ts'

/** What a provider answered, and how many pages it was asked for, each of which it charges. */
type ProviderAnswer = { readonly asked: number } & (
  | { readonly ok: true; readonly found: SearchReading }
  /** Text for users, without secrets. */
  | { readonly ok: false; readonly message: string }
)

/** A paid service that answers searches of Google in its place. */
export interface SearchProvider {
  /** Asks for each page separately. Never rejects. */
  search(search: SerpSearch, signal: AbortSignal): Promise<ProviderAnswer>
  close(): Promise<void>
}
