import Type, { type Static } from 'typebox'
import { ChangedFields } from '../overview/change.ts'
import { Fired } from '../run/run.ts'
import { Choice, Closed, Instant, Nullable, Text, Uuid, Whole } from '../shape/shape.ts'
import { DiffPredicate } from './diff-predicate.ts'

/** Largest number of conditions in the predicate of a backtest, which evaluates each of them on every change. */
export const BACKTEST_CONDITIONS = 200
/** Largest number of changes that a backtest reads: the most recent ones. */
export const BACKTEST_CHANGES = 500
/** Largest size of the readings and differences that a backtest reads. */
export const BACKTEST_BYTES = 16 * 1024 * 1024
/** Largest number of conditions that are reported for each change. */
export const BACKTEST_REASONS = 25

/** The types of conditions that are not groups. */
export const CONDITION_TYPES = [
  'any_field_changes',
  'field_changes',
  'field_increases_by_percent',
  'field_decreases_by_percent',
  'field_increases_by_absolute',
  'field_decreases_by_absolute',
  'field_above',
  'field_below',
  'list_gains_items',
  'list_loses_items',
  'list_gains_unseen_items',
  'lines_added',
  'lines_removed',
  'field_matches_regex',
  'field_equals',
] as const

/** What part of the stored runs a backtest looks at. */
export const backtestDays = Type.Optional(
  Nullable(Whole(1, 3650, { description: 'Only runs of the last so many days. Null: all that are kept.' }), {
    default: null,
  }),
)

/** Body of `POST /v1/monitors/{id}/backtest`. */
export const BacktestRequest = Closed({ diff_predicate: DiffPredicate, days: backtestDays })
export type BacktestRequest = Static<typeof BacktestRequest>

/** What a backtest says of a stored run that found a difference. */
export const backtestedRun = {
  run_id: Uuid(),
  started_at: Instant(),
  fires: Type.Boolean(),
  fired: Fired,
  delivery_triggered: Type.Boolean({
    description: 'Whether the run triggered deliveries, under the configuration of that time.',
  }),
  values: ChangedFields,
}

/** A stored run that found a difference, with the result of the predicate. */
export const BacktestRun = Closed({
  ...backtestedRun,
  fields_changed: Type.Array(Text(1, 100), { maxItems: 200 }),
  conditions: Type.Array(
    Closed({
      path: Type.String({ description: 'Path within diff_predicate. Empty if the predicate is not composite.' }),
      type: Choice(CONDITION_TYPES),
      field: Nullable(Text(1, 100)),
      holds: Type.Boolean(),
      why: Type.String(),
    }),
    { maxItems: BACKTEST_REASONS, description: 'Result of each condition, for the first 25.' },
  ),
})
export type BacktestRun = Static<typeof BacktestRun>

/** What the response of a backtest says beside its runs. */
export const backtested = {
  changes: Type.Integer({
    minimum: 0,
    description: 'Number of stored runs that found a difference and were evaluated.',
  }),
  would_fire: Type.Integer({ minimum: 0 }),
  from: Instant('From when on runs were looked at: for days, and as long as the plan keeps them.'),
  oldest_run_at: Nullable(Instant('When the oldest run that is kept began. Null: none is kept.')),
  truncated: Type.Boolean({
    description:
      'Older changes were left out, because there are more than 500, or they exceed 16 MiB or 5 seconds of work.',
  }),
  warnings: Type.Array(Text(1, 500), { maxItems: 10 }),
}

/** Response of a backtest. */
export const Backtest = Closed({
  ...backtested,
  runs: Type.Array(BacktestRun, { description: 'Newest first.', maxItems: BACKTEST_CHANGES }),
})
export type Backtest = Static<typeof Backtest>
