import Type, { type Static } from 'typebox'
import { RUN_FAULTS, type RunFaultCode } from './run-fault.ts'
import { Choice, Closed, Dictionary, Instant, JsonObject, Nullable, Text, Uuid } from '../shape/shape.ts'

/**
 * Where a run stands.
 *
 *     running   from the moment it is queued or claimed; when its worker is lost, the same run goes on under
 *               another lease
 *     success   fetched and extracted, whether or not anything differs or fires
 *     error     could not be fetched, extracted or judged, or was cut short: its monitor was deleted meanwhile
 *     skipped   never started: a SERP check that needs more runs than are left
 *
 * A run begins as `running` or `skipped`, and `running` ends as `success` or `error`; these are final: a late writer
 * changes nothing.
 */
const RUN_STATUSES = ['running', 'success', 'error', 'skipped'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** Which layer answered. */
export const FETCH_METHODS = ['static', 'browser', 'proxy'] as const
export type FetchMethod = (typeof FETCH_METHODS)[number]

/**
 * What differs from the previous successful run: names in the order of the extract config; values as they were
 * extracted.
 */
export const Diff = Closed({
  fields_changed: Type.Array(Text(1, 100), { maxItems: 200 }),
  before: Dictionary(Type.Unknown(), { maxProperties: 200 }),
  after: Dictionary(Type.Unknown(), { maxProperties: 200 }),
})
export type Diff = Static<typeof Diff>

/** One check. `error_code`, `fetch_reason` and `warnings` go beyond the contract. */
export const Run = Closed({
  id: Uuid(),
  monitor_id: Uuid(),
  user_id: Uuid(),
  started_at: Instant(),
  completed_at: Nullable(Instant()),
  status: Choice(RUN_STATUSES),
  extracted: JsonObject('Field name to value; empty while running and on an error.'),
  diff: Type.Union([Diff, Closed({})], { description: 'Empty object when nothing was compared or nothing differs.' }),
  delivery_triggered: Type.Boolean(),
  fetch_method: Nullable(Choice(FETCH_METHODS)),
  duration_ms: Type.Integer({ minimum: 0 }),
  error_message: Nullable(Text(0, 2000)),
  visual_change_pct: Type.Optional(
    Type.Number({ description: 'Changed area in percent; only where the run took pictures.' }),
  ),
  error_code: Nullable(
    Choice(Object.keys(RUN_FAULTS) as RunFaultCode[], {
      description: 'Beyond the contract: why it failed, for programs.',
    }),
  ),
  warnings: Type.Array(Text(1, 500), {
    maxItems: 50,
    description: 'Beyond the contract: what went on but should be looked at.',
  }),
})
export type Run = Static<typeof Run>

/** Answer of run-now. */
export const RunQueued = Closed({ run_id: Uuid(), queued: Type.Literal(true) })
