import Type, { type Static } from 'typebox'
import { MONITOR_STATUSES } from '../monitor/monitor.ts'
import { RUN_STATUSES } from '../run/run.ts'
import { Choice, Closed, Instant, Nullable, Text, Uuid, Whole } from '../shape/shape.ts'
import { EVENT_LIMITS } from './event-limits.ts'
import { MAX_CHANGE_FIELDS } from './overview-limits.ts'
import { Kind } from './overview.ts'

const { watched } = EVENT_LIMITS
const ID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/** Query parameters of `GET /v1/events`. */
export const eventsQuery = {
  watch: Type.Optional(
    Type.String({
      maxLength: watched * 37 - 1,
      pattern: `^${ID}(?:,${ID}){0,${watched - 1}}$`,
      description: 'Ids of monitors, with commas between them: their runs are told of too.',
    }),
  ),
}

const Monitor = Closed({ id: Uuid(), kind: Kind })

/** What the events of the stream have, by their names. */
export const EVENTS = {
  change: Closed(
    {
      run_id: Uuid('The run that found the difference.'),
      at: Instant('When it ended.'),
      monitor: Monitor,
      fields: Type.Array(Text(1, 100), { maxItems: MAX_CHANGE_FIELDS, description: 'The first fields that differ.' }),
      more: Whole(0, 200, { description: 'How many fields differ beside these.' }),
      fired: Nullable(Type.Boolean({ description: 'Whether it was to be told of. Null: not known.' })),
    },
    { description: 'A run found a difference.' },
  ),
  state: Closed(
    { monitor: Monitor, status: Choice(MONITOR_STATUSES, { description: 'The status now.' }) },
    { description: 'The status of a monitor is another one, or the monitor is new.' },
  ),
  delivery: Closed(
    { id: Uuid(), run_id: Uuid(), monitor: Monitor, status: Choice(['failed', 'dead']) },
    { description: 'A delivery was given up.' },
  ),
  run: Closed(
    { run_id: Uuid(), at: Instant('When it ended.'), monitor: Monitor, status: Choice(RUN_STATUSES) },
    { description: 'A run of a watched monitor ended.' },
  ),
  gap: Closed(
    {},
    { description: 'Events are missing, or all monitors were locked or unlocked: read again what you show.' },
  ),
} as const
export type EventName = keyof typeof EVENTS
export type EventOf<Name extends EventName> = Static<(typeof EVENTS)[Name]>
