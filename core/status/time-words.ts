const DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

/** Returns an instant in words: `24 May 2026 at 14:03 UTC`. */
export const dateWords = (atMs: number): string => `${DATE.format(atMs)} UTC`

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Returns how long ago an instant was: `3 hours ago`. What is later than now was `just now`. */
export function agoWords(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs
  if (ms < MINUTE_MS) return 'just now'
  if (ms < HOUR_MS) return ago(ms / MINUTE_MS, 'minute')
  return ms < 2 * DAY_MS ? ago(ms / HOUR_MS, 'hour') : ago(ms / DAY_MS, 'day')
}

function ago(count: number, unit: string): string {
  const whole = Math.floor(count)
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ago`
}
