import type { DigestConfig } from '../../schema/monitor/digest.ts'
import type { HoldReason, QuietHours } from '../../schema/monitor/quiet-hours.ts'
import { endOfDigest } from './end-of-digest.ts'
import { zonedDate, zonedInstant } from './zoned-instant.ts'

/** What decides when a destination may be sent to. */
export interface HeldBy {
  readonly quiet_hours?: QuietHours | null
  readonly digest?: DigestConfig | null
}

/** A message waits. */
interface Hold {
  readonly reason: HoldReason
  /** In milliseconds since the epoch. */
  readonly untilMs: number
}

/** Returns the hours that count for a destination. */
export const hoursOf = (delivery: HeldBy, monitor: HeldBy): QuietHours | null =>
  delivery.quiet_hours ?? monitor.quiet_hours ?? null

/**
 * Returns until when a message to a destination waits, and why; null: it is sent now. What the destination says wins
 * over what its monitor says. A digest whose time lies in quiet hours waits for their end.
 */
export function heldUntil(delivery: HeldBy, monitor: HeldBy, nowMs: number): Hold | null {
  const digest = delivery.digest ?? monitor.digest ?? null
  const collectedMs = digest && endOfDigest(digest, nowMs)
  const hours = hoursOf(delivery, monitor)
  const untilMs = (hours && endOfQuiet(hours, collectedMs ?? nowMs)) ?? collectedMs
  return untilMs === null ? null : { reason: digest ? 'digest' : 'quiet_hours', untilMs }
}

/** Returns when the quiet hours end that have begun; null: there are none now. */
function endOfQuiet({ from, until, time_zone: zone }: QuietHours, nowMs: number): number | null {
  const today = zonedDate(nowMs, zone)
  const lastsOverNight = until < from
  // Those of yesterday may go on.
  for (const day of [today.subtract({ days: 1 }), today]) {
    const begin = zonedInstant(day, from, zone)
    const end = zonedInstant(lastsOverNight ? day.add({ days: 1 }) : day, until, zone)
    if (begin <= nowMs && nowMs < end) return end
  }
  return null
}
