import type { DiffPredicate } from '../../../../schema/monitor/diff-predicate.ts'
import type { ExtractConfig } from '../../../../schema/monitor/extract-config.ts'
import type { Values } from '../../../../schema/shape/json.ts'

export type GuessKind = 'price' | 'version' | 'list' | 'feed' | 'json' | 'table' | 'page'

/** What somebody may want to watch of a page. */
export interface Guess {
  readonly kind: GuessKind
  /** Plain words: "price $19.99". */
  readonly label: string
  readonly extract_config: ExtractConfig
  /** The values that a run stores; null for another address, which was not read. */
  readonly values: Values | null
  readonly diff_predicate: DiffPredicate
  /** The address of a feed that the page names; null: that of the page. */
  readonly address: string | null
}

/** A guess with its place among others: more is better. */
export interface Ranked {
  readonly guess: Guess
  readonly rank: number
}

/** The ranks of guesses. A value that the page states for programs is the most certain one. */
export const RANKS = {
  feed: 100,
  matchedPrice: 90,
  namedPrice: 70,
  version: 60,
  list: 50,
  table: 45,
  plainPrice: 40,
  json: 40,
  feedLink: 30,
  statedPrice: 20,
  page: 0,
} as const
