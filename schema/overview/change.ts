import Type, { type Static } from 'typebox'
import { Closed, Instant, Nullable, Text, Uuid, Whole } from '../shape/shape.ts'
import { MAX_CHANGE_FIELDS, MAX_CHANGE_VALUE } from './overview-limits.ts'
import { Kind, overviewFilters } from './overview.ts'

/** Query parameters of `GET /v1/changes`. */
export const changesQuery = {
  before: Type.Optional(Uuid('Only changes before this run: the `next` of the answer before.')),
  limit: Type.Optional(Whole(1, 100, { default: 20 })),
  monitor_id: Type.Optional(Uuid('Only changes of this monitor.')),
  fired: Type.Optional(Type.Boolean({ description: 'Whether the change was to be told of.' })),
  sent: Type.Optional(Type.Boolean({ description: 'Whether something was sent, or is to be, of the change.' })),
  ...overviewFilters,
}

const Value = (description: string) => Nullable(Text(0, MAX_CHANGE_VALUE, description))
const Count = Type.Integer({ minimum: 0 })

/** The first fields that changed, as lists show them. */
export const ChangedFields = Type.Array(
  Closed({
    field: Text(1, 100),
    before: Value('Beginning of the value before, or of both where they begin to differ. Null: it cannot be shown.'),
    after: Value('The same of the value after.'),
    percent: Nullable(
      Type.Number({ description: 'Change of an amount in percent. Null: it is not an amount, or was 0.' }),
    ),
  }),
  { maxItems: MAX_CHANGE_FIELDS, description: 'Empty: only the picture changed.' },
)

/** A run that found a difference. */
export const Change = Closed({
  run_id: Uuid('The run, at /v1/runs/{id}.'),
  at: Instant('When the run ended.'),
  monitor: Closed({ id: Uuid(), kind: Kind, name: Text(1, 200) }),
  fields: ChangedFields,
  more: Whole(0, 200, { description: 'How many fields changed beside these.' }),
  visual_change_pct: Nullable(Type.Number({ description: 'Changed area of the picture. Null: no picture was taken.' })),
  fired: Nullable(Type.Boolean({ description: 'Whether it was to be told of. Null: not known.' })),
  deliveries: Closed({ pending: Count, success: Count, failed: Count, dead: Count }),
  silence: Nullable(Text(1, 500, 'Why nothing was sent, in words. Null: something was.')),
  seen: Type.Boolean({ description: 'Whether the caller has marked it, or a later one of the monitor, as seen.' }),
})
export type Change = Static<typeof Change>

/** Response of `GET /v1/changes`, the newest first. */
export const Changes = Closed({
  data: Type.Array(Change, { maxItems: 100 }),
  next: Nullable(Uuid('The `before` of the next request. Null: there are no more.')),
})

/** Body of `POST /v1/changes/seen`. */
export const SeenMarks = Closed({
  until: Uuid('A run. Changes up to it are seen.'),
  monitor_ids: Type.Optional(
    Type.Array(Uuid(), { minItems: 1, maxItems: 100, description: 'Only of these monitors. Without it: of all.' }),
  ),
})

/** Body of `POST /v1/changes/unseen`. */
export const UnseenMark = Closed({ run_id: Uuid('Changes of its monitor from this run on are not seen.') })
