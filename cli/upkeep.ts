import type { Logger } from '../core/logger.ts'
import type { Store } from '../store/client.ts'
import { ensureRunPartitions } from '../store/run-partitions.ts'
import { renewPeriods } from '../store/renew-periods.ts'

/** Looks after the store once a second: months of runs that are about to be needed, quota periods that ended. */
export async function startUpkeep(store: Store, log: Logger): Promise<{ stop(): Promise<void> }> {
  await tick()
  let running: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    running = running
      .then(tick)
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the store could not be looked after; trying again in a second'),
      )
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
  }
}
