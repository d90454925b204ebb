import Type, { type Static } from 'typebox'
import { ERRORS, type ErrorCode } from '../error.ts'
import { overviewFilters } from '../overview/overview.ts'
import { Choice, Closed, Dictionary, Text, Uuid, Whole } from '../shape/shape.ts'
import { Labels } from './labels.ts'
import { MAX_INTERVAL_SECONDS } from './monitor.ts'
import { MuteRequest } from './mute.ts'

const BULK_ACTIONS = ['pause', 'resume', 'mute', 'unmute', 'label', 'interval', 'delete', 'run'] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

/** Most monitors of one request. */
export const MAX_BULK = 100

const { properties: muteKeys } = MuteRequest

/** Most labels of one request that are added, and that are taken away. */
export const MOST_CHANGED_LABELS = 10
/** Most labels of one request that get another key. */
const MOST_RENAMED_LABELS = 2

/** Labels that monitors get, keys of labels that get another name, and keys of labels that they lose. */
export const LabelChange = Closed(
  {
    add: Type.Optional({ ...Labels, maxProperties: MOST_CHANGED_LABELS }),
    rename: Type.Optional(
      Dictionary(Text(1, 63), {
        maxProperties: MOST_RENAMED_LABELS,
        description: 'New keys by the present ones. Values stay, and take the place of what the new key had.',
        rules: ['label_names', 'label_values'],
      }),
    ),
    remove: Type.Optional(
      Type.Array(Text(1, 63), {
        maxItems: MOST_CHANGED_LABELS,
        description: 'Keys. One that a monitor lacks is no fault.',
      }),
    ),
  },
  { description: 'For the action label. A label that is added takes the place of one with the same key.' },
)
export type LabelChange = Static<typeof LabelChange>

/** The keys that each action needs and may have, beside `action` and `ids`. */
export const BULK_KEYS: Readonly<Partial<Record<BulkAction, readonly BulkKey[]>>> = {
  mute: ['until', 'reason', 'drop'],
  label: ['labels'],
  interval: ['schedule_interval_seconds'],
}
type BulkKey = 'until' | 'reason' | 'drop' | 'labels' | 'schedule_interval_seconds'

// Each of the routes is about one kind.
const { kind: _, ...bulkFilters } = overviewFilters

/**
 * Body of `POST /v1/monitors/bulk`: ids, or a filter with the number of monitors that it leaves. The last keys are for
 * one action each (`BULK_KEYS`).
 */
export const MonitorBulk = Closed(
  {
    action: Choice(BULK_ACTIONS),
    ids: Type.Optional(
      Type.Array(Uuid(), { minItems: 1, maxItems: MAX_BULK, description: 'A repeated id is processed once.' }),
    ),
    filter: Type.Optional(Closed(bulkFilters, { description: 'As of `GET /v1/overview`.' })),
    expected: Type.Optional(
      Whole(1, MAX_BULK, {
        description: 'How many monitors of this kind `filter` leaves. Another number is a CONFLICT.',
      }),
    ),
    until: Type.Optional(muteKeys.until),
    reason: Type.Optional(muteKeys.reason),
    drop: Type.Optional(muteKeys.drop),
    labels: Type.Optional(LabelChange),
    schedule_interval_seconds: Type.Optional(
      Whole(1, MAX_INTERVAL_SECONDS, { description: 'For the action interval: seconds between two checks.' }),
    ),
  },
  { rules: ['ids_or_filter', 'keys_of_bulk', 'labels_said_once'] },
)
export type MonitorBulk = Static<typeof MonitorBulk>

/** The result for one monitor. */
export const BulkResult = Closed({
  id: Uuid(),
  ok: Type.Boolean(),
  run_id: Type.Optional(Uuid('The queued run. Only for action run.')),
  error: Type.Optional(
    Closed(
      {
        code: Choice(Object.keys(ERRORS) as ErrorCode[]),
        message: Text(1, 2000),
        details: Type.Array(Type.Unknown(), { maxItems: 100 }),
      },
      { description: "The error that the monitor's own route would have returned." },
    ),
  ),
})
export type BulkResult = Static<typeof BulkResult>

/** Response of `POST /v1/monitors/bulk`. */
export const MonitorBulkDone = Closed({
  action: Choice(BULK_ACTIONS),
  succeeded: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
  results: Type.Array(BulkResult, { description: 'One result for each id, in the order of first occurrence.' }),
})
export type MonitorBulkDone = Static<typeof MonitorBulkDone>
