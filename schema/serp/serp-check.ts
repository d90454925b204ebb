import Type, { type Static } from 'typebox'
import { RUN_FAULTS, type RunFaultCode } from '../run/run-fault.ts'
import { Choice, Closed, Nullable, Text, Whole } from '../shape/shape.ts'
import { Country, CutBy, MAX_MARKER, presentKeys } from './search-reading.ts'
import { SerpResult } from './serp-result.ts'

/**
 * The outcome of a check of a search.
 *
 * - `ok`: there are results. `zero`: the engine found nothing.
 * - `blocked`: the engine refused, and is left alone for a while. `left_alone`: the check fell into that time, and
 *   nobody was asked.
 * - `engine_error`: the engine answered with its own error.
 * - `unparsed`: the page was not recognized. It never means that nothing was found.
 * - `failed`: no page was loaded.
 */
const SERP_OUTCOMES = ['ok', 'zero', 'blocked', 'left_alone', 'engine_error', 'unparsed', 'failed'] as const

/** What a run of a SERP monitor says of its check. */
export const SerpCheck = Closed(
  {
    outcome: Choice(SERP_OUTCOMES),
    source: Nullable(Choice(['engine', 'provider']), {
      description: 'Who gave the results: the engine itself, or the paid provider. Null: nobody did.',
    }),
    pages: Whole(0, 5, { description: 'Pages of results that were obtained.' }),
    cut_by: CutBy({ description: 'Why a later page is missing. Null: none is.' }),
    is_guess: Type.Boolean({ description: 'The layout of the page was unknown: the results fire no alert.' }),
    country: Country({ description: 'approximate: the check was not made from the country of location_code.' }),
    late_ms: Nullable(Type.Integer({ minimum: 0 }), {
      description: 'From the scheduled time to the start of the check. Null: a person asked for it.',
    }),
    marker: Text(0, MAX_MARKER, 'What decided about the outcome, for a person who looks into it.'),
  },
  { description: 'Beyond the contract: how the check of a search went. Null: it has not ended, or was skipped.' },
)
export type SerpCheck = Static<typeof SerpCheck>

/** The result that a check of a search would have now. Names that runs also use have the same meaning. */
export const SerpPreview = Closed({
  status: Choice(['success', 'error']),
  url: Text(1, 8192, 'The address of the search at its engine.'),
  organic_results: Type.Array(SerpResult, { maxItems: 1_000 }),
  target_rank: Nullable(Type.Integer({ minimum: 1 }), { description: 'Null: not listed, not known, or no target.' }),
  ...presentKeys(),
  serp_check: SerpCheck,
  duration_ms: Type.Integer({ minimum: 0 }),
  warnings: Type.Array(Text(1, 500), { maxItems: 50 }),
  error_code: Nullable(Choice(Object.keys(RUN_FAULTS) as RunFaultCode[])),
  error_message: Nullable(Text(0, 2000)),
})
export type SerpPreview = Static<typeof SerpPreview>
