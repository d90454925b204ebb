import type { Logger } from '../core/logger.ts'
import type { Store } from '../store/client.ts'
import { ensureRunPartitions } from '../store/run-partitions.ts'
import { purgeRateLimits } from '../store/rate-limit.ts'
import { renewPeriods } from '../store/renew-periods.ts'
import { purgeSessions } from '../store/sessions.ts'
import { createClockWatch } from './clock-watch.ts'

/** How often what nobody needs any more is forgotten. */
const PURGE_EVERY_MS = 3_600_000

/**
 * Looks after the store once a second: months of runs that are about to be needed, quota periods that ended, a clock that was put back; once an hour what
 * has run out.
 */
export async function startUpkeep(store: Store, log: Logger, leaseSeconds: number): Promise<{ stop(): Promise<void> }> {
  const clock = createClockWatch(store, log, leaseSeconds)
  let purgedAt = -Infinity
  await tick()
  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    // A store that is slow is not asked again while it is being asked.
    running ??= tick()
      .then(() => clock.look())
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the store could not be looked after; trying again in a second'),
      )
      .finally(() => (running = null))
  }, 1000)
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }

  async function tick(): Promise<void> {
    await ensureRunPartitions(store)
    await renewPeriods(store)
    if (performance.now() - purgedAt < PURGE_EVERY_MS) return
    await purgeSessions(store)
    await purgeRateLimits(store)
    purgedAt = performance.now()
  }
}
