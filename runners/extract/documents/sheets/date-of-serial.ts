/** The parts of a date and time, without a zone. */
export interface DateParts {
  readonly year: number
  readonly month: number
  readonly day: number
  /** From 0 for Sunday. */
  readonly weekday: number
  readonly hours: number
  readonly minutes: number
  readonly seconds: number
}

const DAY_MS = 86_400_000
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)
/** The day after 9999-12-31. */
const BEYOND = 2_958_466

/** Returns the date of the number that a spreadsheet keeps it as; null: it is none. Seconds are rounded. */
export function dateOfSerial(serial: number, is1904: boolean): DateParts | null {
  if (!(serial >= 0 && serial < BEYOND)) return null
  // Day 60 is 29 February 1900, which never was: days before it stand one later.
  const days = !is1904 && serial < 60 ? serial + 1 : serial
  const date = new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + Math.round((days * DAY_MS) / 1_000) * 1_000)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
  }
}

const padded = (number: number, length = 2) => String(number).padStart(length, '0')

/** Returns a date as in ISO 8601: without its time where that is midnight, and the time alone where the day is 0. */
export function isoOf(date: DateParts, serial: number): string {
  const time = `${padded(date.hours)}:${padded(date.minutes)}:${padded(date.seconds)}`
  if (serial < 1) return time
  const day = `${padded(date.year, 4)}-${padded(date.month)}-${padded(date.day)}`
  return time === '00:00:00' ? day : `${day}T${time}`
}
