import type { DigestConfig } from '../../schema/monitor/digest.ts'
import type { Mute } from '../../schema/monitor/mute.ts'
import type { HoldReason, QuietHours } from '../../schema/monitor/quiet-hours.ts'
import { endOfDigest } from './end-of-digest.ts'
import { zonedDate, zonedInstant } from './zoned-instant.ts'

/** What decides when a destination may be sent to. */
interface HeldBy {
  readonly quiet_hours?: QuietHours | null
  readonly digest?: DigestConfig | null
}

/** What a monitor decides of all its destinations. */
export interface HeldByMonitor extends HeldBy {
  readonly mute?: Pick<Mute, 'until'> | null
}

/** A message waits. */
interface Hold {
  readonly reason: HoldReason
  /** In milliseconds since the epoch. Null: until somebody ends the mute. */
  readonly untilMs: number | null
}

/** Returns the hours that count for a destination. */
export const hoursOf = (delivery: HeldBy, monitor: HeldBy): QuietHours | null =>
  delivery.quiet_hours ?? monitor.quiet_hours ?? null

/** Returns the mute, unless it has ended. */
export const muteAt = <M extends Pick<Mute, 'until'>>(mute: M | null | undefined, nowMs: number): M | null =>
  mute && (mute.until === null || Date.parse(mute.until) > nowMs) ? mute : null

/**
 * Returns until when a message to a destination waits, and why; null: it is sent now. What the destination says wins
 * over what its monitor says. A mute holds all that fires until it ends. A digest or a mute whose end lies in quiet
 * hours waits for their end.
 */
export function heldUntil(delivery: HeldBy, monitor: HeldByMonitor, nowMs: number): Hold | null {
  const mute = muteAt(monitor.mute, nowMs)
  if (mute?.until === null) return { reason: 'muted', untilMs: null }
  const digest = delivery.digest ?? monitor.digest ?? null
  const waitsMs = mute ? Date.parse(mute.until) : digest && endOfDigest(digest, nowMs)
  const hours = hoursOf(delivery, monitor)
  const untilMs = (hours && endOfQuiet(hours, waitsMs ?? nowMs)) ?? waitsMs
  return untilMs === null ? null : { reason: mute ? 'muted' : digest ? 'digest' : 'quiet_hours', untilMs }
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
