import Type, { type Static } from 'typebox'
import { Choice, Closed, Dictionary, Instant, Text, Uuid } from '../shape/shape.ts'

/** Longest text of a value in a status; the rest stands in the run. Statuses travel to every watcher of the cluster. */
const MAX_VALUE_TEXT = 200
/** Most fields that a status shows: as many as `extract_config.fields` may have. */
const MAX_SHOWN_FIELDS = 50

/**
 * `Ready`: accepted, resolved, scheduled. `Healthy`: the checks succeed. The other two stand only while they are true.
 */
const CONDITION_TYPES = ['Ready', 'Healthy', 'Reconciling', 'Stalled'] as const

const Generation = Type.Integer({ minimum: 0, description: 'The metadata.generation that this is about.' })
const ValueText = (description: string) => Text(0, MAX_VALUE_TEXT, description)

/** As every Kubernetes condition; types of later versions have room. */
const Condition = Closed({
  type: Text(1, 100, `One of ${CONDITION_TYPES.join(', ')}.`),
  status: Choice(['True', 'False', 'Unknown']),
  observed_generation: Generation,
  last_transition_time: Instant('When the status last changed.'),
  reason: Text(1, 100, 'Why, for programs: one word in CamelCase.'),
  message: Text(0, 2000, 'Why, for people.'),
})
type Condition = Static<typeof Condition>

/**
 * A change as a status tells it. A field that was not there has no `before`, one that is gone no `after`: not null,
 * which merge patches drop and so is not for statuses.
 */
const LastChange = Closed(
  {
    time: Instant('When the run that saw it ended.'),
    run_id: Uuid('The run, at /v1/runs/{id}.'),
    fields: Type.Array(
      Closed({
        name: Text(1, 100),
        before: Type.Optional(ValueText('The value before.')),
        after: Type.Optional(ValueText('The value after.')),
      }),
      { maxItems: MAX_SHOWN_FIELDS, description: 'What changed. Empty when only pixels did.' },
    ),
    visual_change_pct: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'How much of the picture changed.' }),
    ),
  },
  { description: 'The last change that the monitor saw.' },
)
type LastChange = Static<typeof LastChange>

/**
 * Status of the custom resource `Monitor`: the result itself, and where the object stands. It is written when something
 * in it changes and otherwise at most hourly, so times of runs are those of the last write; `/v1/monitors/{id}` has the
 * latest.
 */
export const MonitorResourceStatus = Closed({
  observed_generation: Type.Optional(Generation),
  id: Type.Optional(Uuid('The monitor in the API: /v1/monitors/{id}.')),
  conditions: Type.Optional(Type.Array(Condition, { maxItems: 8 })),
  last_change: Type.Optional(LastChange),
  values: Type.Optional(
    Dictionary(ValueText('Text as it is, anything else as JSON, cut to 200 characters.'), {
      maxProperties: MAX_SHOWN_FIELDS,
      description: 'The current values, field name to value.',
    }),
  ),
  last_run_time: Type.Optional(Instant('End of the last check, as of the last write of this status.')),
  next_run_time: Type.Optional(
    Instant('When the next check is due, as of the last write of this status; absent while none is.'),
  ),
  consecutive_failures: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Checks that failed since the last one that succeeded.' }),
  ),
  last_handled_request: Type.Optional(
    Text(0, 200, 'The token of the annotation tidemark.dev/run-requested-at that was acted on last.'),
  ),
})
export type MonitorResourceStatus = Static<typeof MonitorResourceStatus>
