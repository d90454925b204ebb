import Type, { type Static } from 'typebox'
import { Choice, Closed, Instant, Nullable, Text, Uuid, Whole } from '../shape/shape.ts'
import { RUN_FAULTS, type RunFaultCode } from './run-fault.ts'

/** Most points of a series, and most marks and stretches beside it. */
export const MAX_SERIES = 500
/** How many runs that differ are read for a series, the newest first. */
export const MAX_SERIES_STEPS = 20_000
/** How many lists of results are counted for a series, the newest first: counting opens each of them. */
export const MAX_SERIES_COUNTED = 5_000
/** In how many runs stretches of failures, and readings without a difference, are looked for, the newest first. */
export const MAX_SERIES_RUNS = 50_000

/** Query parameters of the series of a monitor. */
export const SeriesQuery = Closed({
  field: Type.Optional(
    Text(1, 100, 'A field; of a search, rank or results. Without it: the one that lists plot, or the first number.'),
  ),
  from: Type.Optional(Instant('Without it: from the first run on.')),
  to: Type.Optional(Instant('Without it: until now.')),
})

const NumberOrNull = Nullable(Type.Number())
const many = { maxItems: MAX_SERIES }

/** What an engine may show beside the results of a search. */
export const SHOWN_BLOCKS = ['ai_overview', 'featured_snippet'] as const

const ShownBlock = Closed({
  block: Choice(SHOWN_BLOCKS),
  from: Instant('When the first of these checks ended.'),
  to: Nullable(Instant('When it became otherwise. Null: it was so at the last check.')),
  is_shown: Type.Boolean(),
  run_id: Uuid('The first of these checks.'),
})

/** The numbers of one field of a monitor over time, with its changes and failures. */
export const Series = Closed({
  field: Nullable(Text(1, 100, 'The field. Null: none has a number.')),
  fields: Type.Array(Text(1, 100), { maxItems: 200, description: 'The fields that have numbers now.' }),
  from: Instant('Where the series begins.'),
  to: Instant('Where it ends.'),
  points: Type.Array(
    Closed({
      at: Instant('From when on the value holds, until the next point.'),
      value: Nullable(Type.Number(), { description: 'The last number. Null: it has no number from here on.' }),
      min: NumberOrNull,
      max: NumberOrNull,
      run_id: Nullable(Uuid('The run that found the last number. Null: it was so before.')),
    }),
    { ...many, description: `The oldest first. Of more than ${MAX_SERIES} steps each point stands for several.` },
  ),
  changes: Type.Array(
    Closed({
      at: Instant(),
      run_id: Uuid('The last run of these that found a difference, of any field.'),
      count: Whole(1, MAX_SERIES_STEPS, { description: 'For how many changes the mark stands.' }),
    }),
    { ...many, description: 'The oldest first.' },
  ),
  failures: Type.Array(
    Closed({
      from: Instant('When the first of these checks failed.'),
      to: Nullable(Instant('When a check succeeded, or failed for another reason. Null: the last one failed.')),
      error_code: Choice(Object.keys(RUN_FAULTS) as RunFaultCode[]),
    }),
    { ...many, description: 'Stretches of failed checks, the oldest first.' },
  ),
  summary: Nullable(
    Closed({
      least: Type.Number(),
      most: Type.Number(),
      mean: Type.Number({ description: 'Each number counts for as long as it held.' }),
      share: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'The part of the time in which it had a number; of a rank, in which it was listed.',
      }),
    }),
    { description: 'In short, from known_from on, without the time of failed checks. Null: there is no number.' },
  ),
  blocks: Type.Optional(
    Type.Array(ShownBlock, {
      maxItems: 2 * MAX_SERIES,
      description:
        'Of a search: the stretches in which the engine showed a block beside the results, or did not. Where its ' +
        'page does not tell, there is none.',
    }),
  ),
  known_from: Instant(
    `From when on all is known. Later than from where there are more than ${MAX_SERIES_STEPS} differences, ` +
      `${MAX_SERIES_RUNS} runs or ${MAX_SERIES} stretches; of a search, more than ${MAX_SERIES_STEPS} lists of ` +
      `results, for their number more than ${MAX_SERIES_COUNTED}.`,
  ),
})
export type Series = Static<typeof Series>
