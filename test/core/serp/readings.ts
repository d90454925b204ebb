import type { StoredReading } from '../../../core/serp/kept-reading.ts'
import type { SerpResult } from '../../../schema/serp/serp-result.ts'

/** What a monitor asks of the rank of its target. */
export const RULE = { keyword: 'shoes', target_domain: 'mine.example', rank_change_threshold: 2 }

export const result = (position: number, domain: string, more: Partial<SerpResult> = {}): SerpResult => ({
  position,
  title: `Title of ${domain}`,
  url: `https://${domain}/page`,
  domain,
  description: 'A snippet.',
  ...more,
})

export const listOf = (...domains: string[]): SerpResult[] => domains.map((domain, at) => result(at + 1, domain))

/** A complete check that found these sites on one page. */
export const reading = (domains: readonly string[], more: Partial<StoredReading> = {}): StoredReading => ({
  results: listOf(...domains),
  pageEnds: [domains.length],
  isEnd: false,
  isPartial: false,
  isGuess: false,
  ...more,
})
