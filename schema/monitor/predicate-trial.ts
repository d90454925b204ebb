import Type, { type Static } from 'typebox'
import { Diff } from '../run/run.ts'
import { Choice, Closed, Dictionary, Nullable, Text } from '../shape/shape.ts'
import { CONDITION_TYPES } from './backtest.ts'
import { DiffPredicate } from './diff-predicate.ts'
import { ExtractConfig } from './extract-config.ts'
import { VALUE_LIMITS } from './value-limits.ts'

/** Largest number of conditions in the predicate of a trial, all of which are reported. */
export const TRIAL_CONDITIONS = 200
/** Largest size of the values of one reading as JSON: four times what a run stores. */
export const TRIAL_BYTES = 4 * VALUE_LIMITS.resultBytes

const fields = (description: string) =>
  Dictionary(Type.Unknown(), { maxProperties: 200, description, rules: ['field_names'] })

/** Body of `POST /v1/predicates/try`. */
export const PredicateTrialRequest = Closed(
  {
    diff_predicate: DiffPredicate,
    before: Nullable(fields('Field name to value, as `extracted` of a run has them. null: there was no run before.')),
    after: fields('The values of the next run.'),
    extract_config: Type.Optional(ExtractConfig),
  },
  { rules: ['predicate_fields'] },
)
export type PredicateTrialRequest = Static<typeof PredicateTrialRequest>

/** The result of a predicate for two readings. */
export const PredicateTrial = Closed({
  fires: Nullable(
    Type.Boolean({
      description:
        'Whether a run would fire. null: it depends on a pattern that took too long or was not tried, and the run ' +
        'would fail.',
    }),
  ),
  why: Type.String({ description: 'One sentence about the whole predicate.' }),
  diff: Type.Union([Diff, Closed({})], { description: 'Empty object if nothing is compared or nothing differs.' }),
  conditions: Type.Array(
    Closed({
      path: Type.String({ description: 'Path within diff_predicate. Empty for the whole predicate.' }),
      type: Choice(['composite', ...CONDITION_TYPES]),
      field: Nullable(Text(1, 100)),
      holds: Nullable(Type.Boolean({ description: 'null: its pattern gave no answer.' })),
      why: Type.String(),
    }),
    {
      // Three groups around each condition, at most.
      maxItems: 4 * TRIAL_CONDITIONS,
      description: 'Result of each condition and of each group of them, a group before its conditions.',
    },
  ),
  warnings: Type.Array(Type.String(), { maxItems: 10 }),
})
export type PredicateTrial = Static<typeof PredicateTrial>
