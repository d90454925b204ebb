import type { Static } from 'typebox'
import { Closed, RuledText } from '../shape/shape.ts'
import { TimeOfDay } from './time-of-day.ts'

/** The hours of each day in which nothing is sent. What fires then is sent when they end. */
export const QuietHours = Closed(
  {
    from: TimeOfDay('When they begin, such as 22:00.'),
    until: TimeOfDay('When they end, such as 07:00. Before `from`: on the next day.'),
    time_zone: RuledText(64, ['time_zone'], 'The IANA name of a time zone, such as Europe/Berlin.'),
  },
  {
    description:
      'Beyond the contract: the hours of each day in which nothing is sent. What fires then is sent when they end.',
    rules: ['quiet_hours_differ'],
  },
)
export type QuietHours = Static<typeof QuietHours>

/** Why a delivery waits for a later hour. */
export const HOLD_REASONS = ['muted', 'digest', 'quiet_hours'] as const
export type HoldReason = (typeof HOLD_REASONS)[number]
