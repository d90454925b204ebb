import type { Logger } from '../../core/logger.ts'
import type { Store } from '../../store/db/client.ts'
import { createRepeat } from '../../concurrency/repeat.ts'
import { forgetOld } from '../../store/maintenance/retention.ts'
import { ensureRunPartitions } from '../../store/queue/run-partitions.ts'
import { purgePromptAnswers } from '../../store/maintenance/prompt-answers.ts'
import { purgeRateLimits } from '../../store/accounts/rate-limit.ts'
import { renewPeriods } from '../../store/quota/renew-periods.ts'
import { purgeRunnerTokens } from '../../store/accounts/runner-tokens.ts'
import { purgeSessions } from '../../store/accounts/sessions.ts'
import { createClockWatch } from './clock-watch.ts'

/** How often what nobody needs any more is forgotten. */
const PURGE_EVERY_MS = 3_600_000
/** How often what retention hides is deleted, and how long after the start first: nobody waits for it. */
const FORGET_EVERY_MS = 24 * 3_600_000
const FORGET_AFTER_MS = 60_000

/**
 * Looks after the store once a second: months of runs that are about to be needed, quota periods that ended, a clock
 * that was put back; once an hour what has run out; once a day what retention hides.
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
  const forgetting = startForgetting(store, log)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all([running, forgetting.stop()])
    },
  }

  async function tick(): Promise<void> {
    await ensureRunPartitions(store)
    await renewPeriods(store)
    if (performance.now() - purgedAt < PURGE_EVERY_MS) return
    await purgeSessions(store)
    await purgeRateLimits(store)
    await purgePromptAnswers(store)
    await purgeRunnerTokens(store)
    purgedAt = performance.now()
  }
}

function startForgetting(store: Store, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const daily = createRepeat(async () => {
    try {
      const forgotten = await forgetOld(store, stopping.signal)
      if (Object.values(forgotten).some((count) => count > 0)) log.info(forgotten, 'deleted what retention hides')
    } catch (error) {
      log.warn({ err: error }, 'what retention hides could not be deleted; trying again in a day')
    }
    return FORGET_EVERY_MS
  })
  const first = setTimeout(() => daily.soon(), FORGET_AFTER_MS)
  return {
    stop() {
      clearTimeout(first)
      stopping.abort()
      return daily.stop()
    },
  }
}
