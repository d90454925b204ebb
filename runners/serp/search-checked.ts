import type { Static } from 'typebox'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { type SearchFailure, type SearchReading } from '../../schema/serp/search-reading.ts'
import type { SearchPage } from './search-page.ts'

/** What is said of one page of a check. */
export interface PageReport {
  readonly outcome: SearchPage['outcome']
  readonly marker: string
  /** At the engine, after redirects. */
  readonly url: string
  readonly status: number
  readonly bytes: number
  readonly table: number
  readonly dropped: Readonly<Record<string, number>>
}

/** The pages of a check, and the address of its first one. */
export interface Seen {
  readonly url: string
  readonly pages: readonly PageReport[]
}

export interface SearchFound extends Seen {
  readonly ok: true
  readonly search: SearchReading
}

export interface SearchFailed extends Seen {
  readonly ok: false
  readonly fault: RunFault
  readonly engine: Static<typeof SearchFailure>
}

export type SearchChecked = SearchFound | SearchFailed
