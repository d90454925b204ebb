import { LRUCache } from 'lru-cache'
import type { RateLimits } from './rate-limits.ts'

const MINUTE_MS = 60_000
/** Subjects whose count is kept. With more of them in one minute, those that came first begin again. */
const MOST_SUBJECTS = 50_000

/**
 * Limits that this process counts by itself: no request for them reaches the store. A minute begins with the first
 * request of a subject. `now`: milliseconds of a clock that only goes forward.
 */
export function createOwnLimits(now: () => number = () => performance.now()): RateLimits {
  const counts = new LRUCache<string, { used: number; readonly endsAt: number }>({ max: MOST_SUBJECTS })
  return {
    async take({ subject, perMinute }) {
      const at = now()
      const known = counts.get(subject)
      const count = known && at < known.endsAt ? known : { used: 0, endsAt: at + MINUTE_MS }
      if (count !== known) counts.set(subject, count)
      const passed = count.used < perMinute
      if (passed) count.used += 1
      const resetSeconds = Math.max(1, Math.ceil((count.endsAt - at) / 1_000))
      return { passed, limit: perMinute, remaining: perMinute - count.used, resetSeconds }
    },
  }
}
