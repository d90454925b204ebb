import Type, { type Static } from 'typebox'
import { PageOf, pageQuery } from '../page-of.ts'
import { Choice, Closed, Instant, Nullable, Uuid } from '../shape/shape.ts'
import { Run, RUN_STATUSES } from './run.ts'

/**
 * How many runs of a monitor a filtered list looks at for one answer, the nearest first. No index knows how runs ended,
 * and a monitor may have a million of them.
 */
export const MAX_LOOKED_RUNS = 20_000

const ofBeyond = 'Beyond the contract: '

/** What narrows a list of runs, beside `changed`. */
const narrowing = {
  status: Type.Optional(Choice(RUN_STATUSES, { description: `${ofBeyond}only runs that ended like this.` })),
  fired: Type.Optional(
    Type.Boolean({ description: `${ofBeyond}whether the run found a change that was to be told of.` }),
  ),
  from: Type.Optional(Instant(`${ofBeyond}only runs that were queued or claimed then or later.`)),
  to: Type.Optional(Instant(`${ofBeyond}only runs that were queued or claimed before.`)),
  before: Type.Optional(Uuid(`${ofBeyond}only runs older than this one. A run of another monitor is a time.`)),
  after: Type.Optional(
    Uuid(`${ofBeyond}only runs newer than this one: those that are nearest to it, newest first. Not with before.`),
  ),
}

/** Query parameters of lists of the runs of a monitor. */
export const RunFilters = Closed(
  {
    ...pageQuery,
    changed: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          `${ofBeyond}true: only runs that found a difference: of a field, of a picture, or of the results of ` +
          'a search, its first ones included; false: all runs.',
      }),
    ),
    ...narrowing,
  },
  { rules: ['one_position'] },
)
export type RunFilters = Static<typeof RunFilters>

/** Whether a query has a key that the list of all runs, or of those with a difference, does without. */
export const isNarrowed = (query: RunFilters): boolean =>
  Object.keys(narrowing).some((key) => Object.hasOwn(query, key))

/** A page of a monitor's runs. */
export const RunPage = Closed({
  ...PageOf(Run).properties,
  next: Type.Optional(
    Nullable(
      Uuid(
        `${ofBeyond}with status, fired, from, to, before or after: the before (with after: the after) of the next ` +
          'request. Null: there are no more.',
      ),
    ),
  ),
})
