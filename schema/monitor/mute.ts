import Type, { type Static } from 'typebox'
import { Closed, Instant, Nullable, Text } from '../shape/shape.ts'

/** Work of a muted monitor has this level: a process below it would send at once (schema/level.ts). */
export const MUTE_LEVEL = 2

/** The latest end of a mute. A later one may be left open. */
const MOST_MUTE_YEARS = 50

/** Longest reason of a mute, in characters. */
export const MAX_MUTE_REASON = 500

const given = {
  until: Nullable(
    Instant(`When it ends, at most ${MOST_MUTE_YEARS} years ahead. Null: when somebody unmutes the monitor.`),
  ),
  reason: Text(1, MAX_MUTE_REASON, 'Why, for those who see the monitor.'),
  drop: Type.Boolean({ description: 'What fires is never sent. Otherwise it waits until the mute ends.' }),
}

const YEAR_MS = 365 * 24 * 3_600_000
/** Longest mute with an end, in milliseconds. */
export const MOST_MUTE_MS = MOST_MUTE_YEARS * YEAR_MS

/** Body of `POST /v1/monitors/{id}/mute`. */
export const MuteRequest = Closed({
  until: given.until,
  reason: Type.Optional(given.reason),
  drop: Type.Optional(given.drop),
})
export type MuteRequest = Static<typeof MuteRequest>

/** The mute of a monitor. Its checks and its history go on, and what fires is not sent. */
export const Mute = Closed(
  {
    since: Instant('When somebody muted it.'),
    until: given.until,
    reason: Nullable(given.reason),
    drop: given.drop,
  },
  { description: 'Beyond the contract: what fires is not sent until then. Absent: it is not muted.' },
)
export type Mute = Static<typeof Mute>
