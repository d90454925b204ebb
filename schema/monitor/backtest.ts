import Type, { type Static } from 'typebox'
import { DiffPredicate } from './diff-predicate.ts'
import { Choice, Closed, Instant, Nullable, Text, Uuid } from '../shape/shape.ts'

/** Conditions of a predicate that a backtest tries: it tries each on every change. */
export const BACKTEST_CONDITIONS = 200
/** Changes that a backtest looks at, the most recent ones. */
export const BACKTEST_CHANGES = 500
/** Conditions that are told of each change. */
export const BACKTEST_REASONS = 25

const LEAF_TYPES = [
  'any_field_changes',
  'field_changes',
  'field_increases_by_percent',
  'field_decreases_by_percent',
  'field_increases_by_absolute',
  'field_decreases_by_absolute',
  'field_above',
  'field_below',
  'field_matches_regex',
  'field_equals',
] as const

/** Body of `POST /v1/monitors/{id}/backtest`. */
export const BacktestRequest = Closed({ diff_predicate: DiffPredicate })
export type BacktestRequest = Static<typeof BacktestRequest>

/** A stored run that found a difference, judged by the predicate. */
export const BacktestRun = Closed({
  run_id: Uuid(),
  started_at: Instant(),
  fires: Type.Boolean(),
  delivery_triggered: Type.Boolean({ description: 'What happened when it ran, under the predicate of that time.' }),
  fields_changed: Type.Array(Text(1, 100), { maxItems: 200 }),
  conditions: Type.Array(
    Closed({
      path: Type.String({ description: 'Within diff_predicate; empty when it has no parts.' }),
      type: Choice(LEAF_TYPES),
      field: Nullable(Text(1, 100)),
      holds: Type.Boolean(),
      why: Type.String(),
    }),
    { maxItems: BACKTEST_REASONS, description: 'What each condition came to; the first 25.' },
  ),
})
export type BacktestRun = Static<typeof BacktestRun>

/** Answer of a backtest. */
export const Backtest = Closed({
  changes: Type.Integer({ minimum: 0, description: 'Stored runs that were judged: those that found a difference.' }),
  would_fire: Type.Integer({ minimum: 0 }),
  truncated: Type.Boolean({
    description: 'Older changes were left out: more than 500, more than 16 MiB, or more than 5 seconds of work.',
  }),
  warnings: Type.Array(Text(1, 500), { maxItems: 10 }),
  runs: Type.Array(BacktestRun, { description: 'Newest first.', maxItems: BACKTEST_CHANGES }),
})
export type Backtest = Static<typeof Backtest>
