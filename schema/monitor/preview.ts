import Type, { type Static } from 'typebox'
import { RUN_FAULTS, type RunFaultCode } from '../run/run-fault.ts'
import { FETCH_METHODS, FETCH_REASONS } from '../run/run.ts'
import { Choice, Closed, JsonObject, Nullable, Text } from '../shape/shape.ts'

/**
 * The result that a run of a configuration would have now. Names that runs also use have the same meaning. Durations
 * are in milliseconds. `bytes` counts the decoded body.
 */
export const Preview = Closed({
  status: Choice(['success', 'error']),
  fields: JsonObject('Field name to value, as a run would store it; empty after an error.'),
  fetch_method: Nullable(Choice(FETCH_METHODS)),
  fetch_reason: Nullable(Choice(FETCH_REASONS)),
  http_status: Nullable(Type.Integer()),
  content_type: Nullable(Text(0, 1000)),
  bytes: Nullable(Type.Integer({ minimum: 0 })),
  fetch_ms: Nullable(Type.Integer({ minimum: 0 })),
  extract_ms: Nullable(Type.Integer({ minimum: 0 })),
  duration_ms: Type.Integer({ minimum: 0 }),
  warnings: Type.Array(Text(1, 500), { maxItems: 50 }),
  emptied: Type.Optional(
    Type.Array(Text(1, 100), {
      maxItems: 50,
      description: 'Fields that had a value, of which extract_config.clean left nothing. Absent: none.',
    }),
  ),
  error_code: Nullable(Choice(Object.keys(RUN_FAULTS) as RunFaultCode[])),
  error_message: Nullable(Text(0, 2000)),
})
export type Preview = Static<typeof Preview>
