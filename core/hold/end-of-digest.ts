import { type DigestConfig, WEEK_DAYS } from '../../schema/monitor/digest.ts'
import { zonedDate, zonedInstant } from './zoned-instant.ts'

/**
 * Returns when a digest is sent whose first change fires now, in milliseconds since the epoch. One that is sent at a
 * time of a day takes what fires at that time into the next one.
 */
export function endOfDigest(
  { daily_at: time, time_zone: zone, days, every_seconds: seconds = 0 }: DigestConfig,
  nowMs: number,
): number {
  if (time === undefined || zone === undefined) return nowMs + seconds * 1000
  const today = zonedDate(nowMs, zone)
  // The day of today is looked at twice: its time may have passed.
  for (let ahead = 0; ahead <= WEEK_DAYS.length; ahead += 1) {
    const day = today.add({ days: ahead })
    const name = WEEK_DAYS[day.dayOfWeek - 1]
    const at = zonedInstant(day, time, zone)
    if (at > nowMs && (days === undefined || (name !== undefined && days.includes(name)))) return at
  }
  throw new RangeError('a digest needs a day')
}
