import type { Logger } from '../../core/logger.ts'
import type { Store } from '../../store/db/client.ts'
import { pullBack, storeTime } from '../../store/maintenance/clock-back.ts'

/** A smaller correction of the clock is ignored. */
const JUMP_MS = 30_000

/**
 * Detects when the store's clock is set back, by comparing it with this process's monotonic clock. Then it moves times
 * that are too far in the future back. The first look does so in every case, because the clock may have been set back
 * while no process ran. Rejects when the store is away; the next look catches up.
 */
export function createClockWatch(store: Store, log: Logger, leaseSeconds: number): { look(): Promise<void> } {
  /** Store time minus our own time at the last look. */
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
