import type { SerpResult } from '../../schema/serp/serp-result.ts'
import { sameness } from './result-url.ts'
import type { SearchPage } from './search-page.ts'

/**
 * Gives the results of all pages their positions. An address that is repeated, on the same page or on a later one,
 * counts once. Where the engine hides the address, title and site stand for it.
 */
export function mergePages(pages: readonly Pick<SearchPage, 'results'>[]): {
  readonly results: SerpResult[]
  readonly pageEnds: number[]
} {
  const seen = new Set<string>()
  const results: SerpResult[] = []
  const pageEnds: number[] = []
  for (const page of pages) {
    for (const { title, url, domain, description, isUrlKnown } of page.results) {
      const key = isUrlKnown ? sameness(url) : `${domain} ${title}`
      if (seen.has(key)) continue
      seen.add(key)
      results.push({ position: results.length + 1, title, url, domain, description })
    }
    pageEnds.push(results.length)
  }
  return { results, pageEnds }
}
