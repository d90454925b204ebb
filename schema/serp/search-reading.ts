import Type, { type Static } from 'typebox'
import { Choice, Closed, Nullable, Text, Whole } from '../shape/shape.ts'
import { SerpResult } from './serp-result.ts'

/** Largest number of results of a search: five pages of at most as many as a page is read for. */
const MAX_RESULTS = 1_000
/** Largest size of an unread page, as it is sent: gzip, in base64, in characters. A larger one is not sent. */
export const UNREAD_CHARS = 1_000_000
/** The longest text about what decided, and about a warning, in characters. */
export const MAX_MARKER = 500

/** What an engine did that gave no page, or not the next one. */
const FAILURES = ['blocked', 'engine_error', 'unparsed', 'failed'] as const

interface Described {
  readonly description?: string
}
export const Country = (options: Described = {}) => Choice(['exact', 'approximate'], options)
export const CutBy = (options: Described = {}) => Nullable(Choice(FAILURES), options)

const said = {
  country: Country(),
  /** What decided about the outcome. */
  marker: Text(0, MAX_MARKER),
  /** The page that was not recognized, or whose pager was not. Never that of a refusal. */
  unread: Type.Optional(Type.String({ maxLength: UNREAD_CHARS, pattern: '^[A-Za-z0-9+/]*={0,2}$' })),
}

const shown = { ai_overview: Nullable(Type.Boolean()), featured_snippet: Nullable(Type.Boolean()) }
const ShownBlocks = Closed(shown)
/** What an engine shows beside its results. Null: its page does not tell. */
export type ShownBlocks = Static<typeof ShownBlocks>

/**
 * The results of a search over all pages, whichever source gave them. It has this form in the process that reads the
 * pages, in the message of a runner, and where it is compared, recorded and shown.
 */
export const SearchReading = Closed({
  outcome: Choice(['ok', 'zero']),
  results: Type.Array(SerpResult, { maxItems: MAX_RESULTS }),
  /** How many results the first page gave, the first two, and so on. Pages that were not reached are absent. */
  page_ends: Type.Array(Whole(0, MAX_RESULTS), { minItems: 1, maxItems: 5 }),
  /** The last page had no further one: nothing is listed beyond these results. */
  is_end: Type.Boolean(),
  /** The names in the page were unknown, and the results are a guess. */
  is_guess: Type.Boolean(),
  ...shown,
  /** Why a later page is missing. Null: none is. */
  cut_by: CutBy(),
  ...said,
  warnings: Type.Array(Text(1, 500), { maxItems: 10 }),
})
export type SearchReading = Static<typeof SearchReading>

/** What an engine did when nothing was obtained. */
export const SearchFailure = Closed({ outcome: Choice(FAILURES), ...said })
/** The same of a check that fell into the time in which its engine is left alone: nobody was asked. */
export type EngineFailure = Static<typeof SearchFailure> | (Omit<Static<typeof SearchFailure>, 'outcome'> & LeftAlone)
interface LeftAlone {
  readonly outcome: 'left_alone'
}

/** How a run and a preview name what is shown beside the results. */
export const presentKeys = (options: Described = {}) => ({
  ai_overview_present: Nullable(Type.Boolean(), options),
  featured_snippet_present: Nullable(Type.Boolean(), options),
})
