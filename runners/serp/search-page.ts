import type { ShownBlocks } from '../../schema/serp/search-reading.ts'
import type { SerpEngine, SerpSearch } from '../../schema/serp/serp-search.ts'

/** A page that an engine sent. */
export interface SentPage {
  readonly engine: SerpEngine
  readonly device: SerpSearch['device']
  /** The address of the page at the engine, after redirects. */
  readonly url: string
  readonly status: number
}

/** One result of one page, in the page's order. */
export interface FoundResult {
  readonly title: string
  /** The address without the engine's redirects. Where the engine hides it: that of the site, or empty. */
  readonly url: string
  /** Empty: the engine did not show it. */
  readonly domain: string
  readonly description: string | null
  /** False: the engine hides the address, and only the site is known, or nothing. */
  readonly isUrlKnown: boolean
}

/**
 * The outcome of one page.
 *
 * - `ok`: it has results.
 * - `zero`: the engine says that there is nothing. `zero_suspect`: it says so, and it may be a refusal.
 * - `blocked`: the engine refuses. `consent`: it asks for consent first.
 * - `engine_error`: the engine answered with its own error.
 * - `shell`: the scripts of the page did not run.
 * - `unparsed`: none of these could be recognized.
 */
export type PageOutcome = 'ok' | 'zero' | 'zero_suspect' | 'blocked' | 'consent' | 'engine_error' | 'shell' | 'unparsed'

/** How the next page is reached: an address, or a button of the page by its selector. */
export type NextPage =
  | { readonly kind: 'link'; readonly url: string }
  | { readonly kind: 'button'; readonly selector: string }

/** What was read of one page. */
export interface SearchPage {
  readonly outcome: PageOutcome
  /** What decided, for a person who looks into it. */
  readonly marker: string
  /** The version of the engine's table. */
  readonly table: number
  /**
   * True: the names in the page are unknown, and the results are what looks like a list of them. They may be shown, but
   * nothing is decided by them.
   */
  readonly isStructural: boolean
  readonly results: readonly FoundResult[]
  /** How many candidates were left out, by reason. */
  readonly dropped: Readonly<Record<string, number>>
  readonly shown: ShownBlocks
  readonly next: NextPage | null
  /** Nothing follows: the page is short, or its pager shows no later one. False without `next`: it is not known. */
  readonly isLast: boolean
}

/** Limits of what is kept of an untrusted page. */
export const SERP_LIMITS = {
  /** Results of one page. Engines show ten, and lists that grow have some eighty. */
  results: 200,
  candidates: 2_000,
  title: 500,
  description: 1_500,
  url: 2_048,
  /** Bytes of scripts that are searched for hidden addresses. */
  scripts: 4 * 1024 * 1024,
  parseMs: 5_000,
} as const
