import Type, { type Static } from 'typebox'
import { Choice, Closed, Instant, Nullable, Uuid } from '../shape/shape.ts'
import { RUN_FAULTS, type RunFaultCode } from './run-fault.ts'

/** Most rows of an export of a monitor's history, the newest first. */
export const MAX_HISTORY = 50_000

/** Query parameters of an export of a monitor's history. */
export const HistoryQuery = Closed({
  from: Type.Optional(Instant('Without it: from the first run on.')),
  to: Type.Optional(Instant('Without it: until now.')),
})
export type HistoryQuery = Static<typeof HistoryQuery>

const HistoryRow = Closed({
  run_id: Uuid(),
  at: Instant('When the run ended.'),
  status: Choice(['success', 'error', 'skipped']),
  fired: Nullable(Type.Boolean(), { description: 'Null: it was not decided.' }),
  error_code: Nullable(Choice(Object.keys(RUN_FAULTS) as RunFaultCode[])),
  values: Nullable(Type.Unknown(), {
    description:
      'The fields; of a search, its rank, the number of its results, and the blocks that its engine showed. They ' +
      'hold until the next run with values, in a row above. Null: the run has none.',
  }),
})
export type HistoryRow = Static<typeof HistoryRow>

/** The history of a monitor as JSON. */
export const History = Closed({ data: Type.Array(HistoryRow) })
