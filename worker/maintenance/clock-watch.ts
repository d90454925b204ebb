import type { Logger } from '../../core/logger.ts'
import type { Store } from '../../store/db/client.ts'
import { pullBack, storeTime } from '../../store/maintenance/clock-back.ts'

/** A clock that is set right by less than this is let be. */
const JUMP_MS = 30_000

/**
 * Notices when the store's clock is put back, by this process's monotonic clock, and has what lies too far ahead pulled
 * back. The first look does so whatever the clock says: it may have jumped while nobody looked. Rejects when the store
 * is away; the next look makes up for it.
 */
export function createClockWatch(store: Store, log: Logger, leaseSeconds: number): { look(): Promise<void> } {
  /** Store time less our own at the last look. */
  let lead: number | null = null
  let isPending = true
  let isCertain = false

  return {
    async look() {
      const asked = performance.now()
      const now = await storeTime(store)
      const seen = now - (asked + performance.now()) / 2
      if (lead !== null && seen < lead - JUMP_MS) {
        log.warn({ back_ms: Math.round(lead - seen) }, "the store's clock was put back")
        isPending = isCertain = true
      }
      lead = seen
      if (!isPending) return
      const moved = await pullBack(store, { leaseSeconds, isCertain })
      if (moved.checks + moved.deliveries > 0) log.warn(moved, 'what lay too far ahead for the clock was pulled back')
      isPending = isCertain = false
    },
  }
}
