import Type, { type Static } from 'typebox'
import { Choice, Closed, RuledText } from '../shape/shape.ts'
import { TimeOfDay } from './time-of-day.ts'

/** The days of a week, as a digest names them. */
export const WEEK_DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** Seconds that a digest may collect for. */
export const DIGEST_SECONDS = { least: 60, most: 604_800 } as const

/** Changes that one message names at most. It counts the others. */
export const MOST_NAMED_CHANGES = 50

/** When all that changed is sent as one message: at a time of some days, or so many seconds after the first change. */
export const DigestConfig = Closed(
  {
    daily_at: Type.Optional(TimeOfDay('The time of a day at which it is sent, such as 08:00.')),
    time_zone: Type.Optional(
      RuledText(64, ['time_zone'], 'The IANA name of the time zone of `daily_at`, such as Europe/Berlin.'),
    ),
    days: Type.Optional(
      Type.Array(Choice(WEEK_DAYS), {
        minItems: 1,
        maxItems: WEEK_DAYS.length,
        uniqueItems: true,
        description: 'The days on which it is sent at `daily_at`. Absent: every day.',
      }),
    ),
    every_seconds: Type.Optional(
      Type.Integer({
        minimum: DIGEST_SECONDS.least,
        maximum: DIGEST_SECONDS.most,
        description: 'It is sent so many seconds after the first change that it holds.',
      }),
    ),
  },
  {
    description: 'Beyond the contract: collects what fires, and sends it as one message to a destination.',
    rules: ['digest_time', 'digest_zone'],
  },
)
export type DigestConfig = Static<typeof DigestConfig>
