import type ICAL from 'ical.js'

/** A time of a calendar: to be compared, and to be shown. */
export interface EventTime {
  /** In UTC, such as `2026-11-30T09:00:00Z`. A day is a date alone; a time of no zone has no Z. */
  readonly utc: string
  /** As the calendar writes it, with its zone. */
  readonly shown: string
  readonly isDay: boolean
}

/** Returns a time in a zone that the system knows by name, or that the calendar describes. */
export function eventTime(time: ICAL.Time, zone: string | null): EventTime {
  const day = time.toString().slice(0, 10)
  if (time.isDate) return { utc: day, shown: day, isDay: true }
  const local = time.toString().replace(/Z$/, '')
  const clock = local.slice(11, 16)
  const zoneName = time.zone.tzid
  if (zoneName === 'UTC' || zoneName === 'Z') return { utc: `${local}Z`, shown: `${day} ${clock} UTC`, isDay: false }
  // What the system knows of a name comes first: descriptions of zones in calendars are often of some years only.
  const own = utcOfName(local, zone) ?? (zoneName === 'floating' ? null : isoUtc(time.toUnixTime() * 1_000))
  const named = zone ?? (zoneName === 'floating' ? null : zoneName)
  return { utc: own ?? local, shown: named === null ? `${day} ${clock}` : `${day} ${clock} ${named}`, isDay: false }
}

const isoUtc = (ms: number): string | null => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? null : date.toISOString().replace('.000Z', 'Z')
}

const zones = new Map<string, Intl.DateTimeFormat | null>()

function formatOf(zone: string): Intl.DateTimeFormat | null {
  const known = zones.get(zone)
  if (known !== undefined) return known
  let format: Intl.DateTimeFormat | null = null
  try {
    format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  } catch {
    // No system knows this name.
  }
  if (zones.size < 1_000) zones.set(zone, format)
  return format
}

/** Returns a local time of a zone in UTC; null: the zone is not known. */
function utcOfName(local: string, zone: string | null): string | null {
  const format = zone === null ? null : formatOf(zone)
  const wanted = Date.parse(`${local}Z`)
  if (format === null || Number.isNaN(wanted)) return null
  let guess = wanted
  // Twice, because the clocks may change in between.
  for (let again = 0; again < 2; again += 1) guess += wanted - Date.parse(`${format.format(guess).replace(' ', 'T')}Z`)
  return isoUtc(guess)
}
