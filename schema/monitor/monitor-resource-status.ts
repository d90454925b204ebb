import Type, { type Static } from 'typebox'
import { Choice, Closed, Dictionary, Instant, Nullable, Text, Uuid } from '../shape/shape.ts'
import { DELIVERY_TYPES } from './delivery-config.ts'

/**
 * Longest text of a value in a status. The run has the complete value. Every watcher of the cluster receives each
 * status, so statuses stay small.
 */
const MAX_VALUE_TEXT = 200
/** Longest text of `address`: a column that leaves room for the others. */
const MAX_ADDRESS_TEXT = 60
/** Longest host or mailbox of a destination. */
const MAX_DESTINATION_TEXT = 100
/** Largest number of destinations in a status: as many as `deliveries` may have. */
const MAX_DESTINATIONS = 25
/** Largest number of fields in a status: as many as `extract_config.fields` may have. */
const MAX_SHOWN_FIELDS = 50

/**
 * `Ready`: accepted, resolved, scheduled. `Healthy`: the checks succeed. `Delivering`: the destinations take messages;
 * it exists where there are any. The other two exist only while they are true.
 */
const CONDITION_TYPES = ['Ready', 'Healthy', 'Delivering', 'Reconciling', 'Stalled'] as const

const Generation = Type.Integer({ minimum: 0, description: 'The metadata.generation that this refers to.' })
const ValueText = (description: string) => Text(0, MAX_VALUE_TEXT, description)

/** A condition in the usual Kubernetes form. `type` is an open string, so that later versions can add types. */
const Condition = Closed({
  type: Text(1, 100, `One of ${CONDITION_TYPES.join(', ')}.`),
  status: Choice(['True', 'False', 'Unknown'], { description: 'Whether the condition holds.' }),
  observed_generation: Generation,
  last_transition_time: Instant('When the status last changed.'),
  reason: Text(1, 100, 'Reason for programs: one word in CamelCase.'),
  message: Text(0, 2000, 'Explanation for users.'),
})
type Condition = Static<typeof Condition>

/**
 * A change in a status. A new field has no `before`, and a removed one has no `after`. They are absent and not null,
 * because merge patches drop null.
 */
const LastChange = Closed(
  {
    time: Instant('When the run that found the change ended.'),
    run_id: Uuid('The run, at /v1/runs/{id}.'),
    fields: Type.Array(
      Closed({
        name: Text(1, 100, 'Name of the field.'),
        before: Type.Optional(ValueText('The value before.')),
        after: Type.Optional(ValueText('The value after.')),
      }),
      { maxItems: MAX_SHOWN_FIELDS, description: 'The fields that changed. Empty if only pixels changed.' },
    ),
    visual_change_pct: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'Changed area of the picture, in percent.' }),
    ),
  },
  { description: 'The last change that the monitor found.' },
)
type LastChange = Static<typeof LastChange>

/** A destination in a status. An address from a Secret is not shown. */
const FailedDestination = Closed({
  path: Text(1, 50, 'Where the manifest declares it, as in spec.deliveries[0].'),
  type: Choice(DELIVERY_TYPES, { description: 'The channel.' }),
  address: Type.Optional(Text(1, MAX_DESTINATION_TEXT, 'The host or mailbox, if the manifest has it.')),
  since: Instant('When the first of its deliveries was given up.'),
  response_status: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 999, description: 'What the last one was answered; absent: nothing.' }),
  ),
})

const NOT_WRITTEN = 'Not written any more: GET /v1/monitors/{id} has the latest.'

/**
 * Status of the custom resources `Monitor` and `SerpMonitor`: the result of the checks and the state of the object. It
 * is written when a part of it changes. Times of runs are not part of it: each run changes them, and the record in the
 * API has them.
 */
export const MonitorResourceStatus = Closed({
  observed_generation: Type.Optional(
    Type.Integer({ minimum: -1, description: 'The metadata.generation that was handled last. -1: none yet.' }),
  ),
  id: Type.Optional(Uuid('The record in the API, at /v1/monitors/{id} or /v1/serp-monitors/{id}.')),
  address: Type.Optional(
    Text(1, MAX_ADDRESS_TEXT, 'The watched address or keyword, shortened, for the columns of kubectl.'),
  ),
  interval: Type.Optional(Text(1, 20, 'How often it is checked, as in 15m, for the columns of kubectl.')),
  conditions: Type.Optional(
    Type.Array(Condition, {
      maxItems: 8,
      description:
        'Ready: accepted, resolved and scheduled. Healthy: the checks succeed. Delivering: the destinations take ' +
        'messages. Reconciling and Stalled exist only while they are true.',
    }),
  ),
  last_change: Type.Optional(LastChange),
  values: Type.Optional(
    Dictionary(
      Nullable(ValueText('Text unchanged, other values as JSON; cut to 200 characters. null: its rule has no match.')),
      { maxProperties: MAX_SHOWN_FIELDS, description: 'The current values: field name to value.' },
    ),
  ),
  failed_destinations: Type.Optional(
    Type.Array(FailedDestination, {
      maxItems: MAX_DESTINATIONS,
      description: 'The destinations that take no messages: a delivery was given up, and none was taken since.',
    }),
  ),
  // The definition keeps what a release had. A later check made these untrue, so that a monitor that ran looked dead.
  last_run_time: Type.Optional(Instant(`End of a check. ${NOT_WRITTEN}`)),
  next_run_time: Type.Optional(Instant(`When a check was due. ${NOT_WRITTEN}`)),
  consecutive_failures: Type.Optional(
    Type.Integer({ minimum: 0, description: `Checks that had failed in a row. ${NOT_WRITTEN}` }),
  ),
  last_handled_request: Type.Optional(
    Text(0, 200, 'The last handled value of the annotation tidemark.dev/run-requested-at.'),
  ),
})
export type MonitorResourceStatus = Static<typeof MonitorResourceStatus>
