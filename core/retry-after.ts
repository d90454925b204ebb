const MAX_MS = 24 * 3_600_000

/**
 * Returns the milliseconds of a Retry-After header, given as seconds or as an HTTP date (RFC 9110 §10.2.3). At least 0
 * and at most 24 hours, so that a site cannot stop a monitor for a year. Null when it is absent or unreadable. `nowMs`
 * is the wall clock.
 */
export function retryAfterMs(value: string | string[] | undefined, nowMs: number): number | null {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Math.min(Number(text) * 1_000, MAX_MS)
  // Only the forms of an HTTP date begin with a letter. Date.parse alone would read "12" as December.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.min(Math.max(at - nowMs, 0), MAX_MS)
}
