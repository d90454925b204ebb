import { Temporal } from 'temporal-polyfill'

/**
 * Returns when a clock of the zone shows a time of a day. A time that a change of the clocks skips is the first instant
 * after it; of one that it shows twice, the first.
 */
export function zonedInstant(date: Temporal.PlainDate, time: string, zone: string): number {
  const local = date.toPlainDateTime(time)
  const first = local.toZonedDateTime(zone, { disambiguation: 'earlier' })
  if (first.toPlainDateTime().equals(local)) return first.epochMilliseconds
  // A skipped time is read by the offset after the change, which is an instant before it.
  return (first.getTimeZoneTransition('next') ?? first).epochMilliseconds
}

/** Returns the day that a calendar in the zone shows. The clock of the store has parts of milliseconds. */
export const zonedDate = (atMs: number, zone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(zone).toPlainDate()
