import type { ThreadReader } from '../extract/pool/thread-reader.ts'
import { SERP_LIMITS, type SearchPage, type SentPage } from './search-page.ts'

/** Returns what reads a page of an engine in a thread of the extractor. */
export const searchPageReader = (sent: SentPage): ThreadReader<SearchPage> => ({
  module: new URL('search-page-thread.ts', import.meta.url).href,
  timeoutMs: SERP_LIMITS.parseMs,
  asked: sent,
  isRead: (value): value is SearchPage => typeof value === 'object' && value !== null && 'shown' in value,
})
