import type { OutageLog } from '../../concurrency/loops/outage.ts'
import { createWakeableLoop } from '../../concurrency/loops/wakeable-loop.ts'
import type { Logger } from '../../core/logger.ts'
import { purgeLinks } from '../../store/accounts/account-links.ts'
import { purgeExchangedRunnerTokens } from '../../store/accounts/credentials/runner-token-exchange.ts'
import { purgeRunnerTokens } from '../../store/accounts/credentials/runner-tokens.ts'
import { purgeSessions } from '../../store/accounts/credentials/sessions.ts'
import { purgeRateLimits } from '../../store/accounts/rate-limit.ts'
import { purgeInvitationMails } from '../../store/accounts/team/invitation-mails.ts'
import { purgeInvitations } from '../../store/accounts/team/invitations.ts'
import { sweepAsked } from '../../store/asked/asked-work.ts'
import type { Store } from '../../store/db/client.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { forgetChats } from '../../store/deliveries/chat-paces.ts'
import { sweepLooks } from '../../store/looks/looks.ts'
import { noteAboveLevel } from '../../store/maintenance/above-level.ts'
import { pullBack, storeTime } from '../../store/maintenance/clock-back.ts'
import { eraseSecretsOfDeleted } from '../../store/maintenance/deleted-monitors.ts'
import { fitLocks } from '../../store/maintenance/fit-locks.ts'
import { purgeIdempotentAnswers } from '../../store/maintenance/idempotent-answers.ts'
import { purgePromptAnswers } from '../../store/maintenance/prompt-answers.ts'
import { forgetOld } from '../../store/maintenance/retention.ts'
import { endUnrendered } from '../../store/maintenance/unrendered.ts'
import { dropConfigurations } from '../../store/monitors/monitor-delete.ts'
import { ensureRunPartitions } from '../../store/queue/record-reading.ts'
import { renewPeriods, restUsedUp } from '../../store/quota/pool.ts'
import { createLevelWatch } from './level-watch.ts'
import { createDueTime, createPeriodicWork, type PeriodicWork } from './periodic-work.ts'

const TICK_MS = 1_000
const SWEEP_EVERY_MS = 15_000
/** How often expired data is deleted. */
const PURGE_EVERY_MS = 3_600_000
/**
 * How often data beyond the retention period is deleted, and how long after the start for the first time. Nothing waits
 * for it.
 */
const FORGET_EVERY_MS = 24 * 3_600_000
const FORGET_AFTER_MS = 60_000

/**
 * Maintains the store. Once a second: prepares the months of runs that are needed soon, ends quota periods and trials,
 * puts checks without runs to rest, and corrects times after the clock was set back. Every few seconds: ends
 * asked work that nobody waits for, and drops configurations of deleted monitors. Once a minute: ends checks that no
 * browser takes, and notifies of work that needs a later version. Once an hour: deletes expired data, and the secrets
 * of deleted monitors. Once a day: deletes data beyond the retention period. Hours and days are those of the store's
 * clock. `others` is further work of the same kind; stopping the maintenance does not stop it.
 */
export async function startMaintenance(
  store: Store,
  log: Logger,
  { leaseSeconds, others }: { readonly leaseSeconds: number; readonly others: readonly PeriodicWork[] },
): Promise<{ stop(): Promise<void> }> {
  const clock = createClockWatch(store, log, leaseSeconds)
  const browsers = createBrowserWatch(() => endUnrendered(store), log)
  const levels = createLevelWatch(() => noteAboveLevel(store), log)
  const forgetting = forgettingOf(store, log)
  const purges = createDueTime(PURGE_EVERY_MS)
  let sweptAt = -Infinity
  await tick(await storeTime(store))
  const ticking = createWakeableLoop({
    async work() {
      const now = await clock.look()
      for (const periodic of [forgetting, ...others]) periodic.look(now)
      await tick(now)
      await browsers.look()
      await levels.look()
      return TICK_MS
    },
    onFault(err) {
      if (storeOutage(log).covers(err, 'maintenance')) return
      log.warn({ err }, 'maintenance of the store failed; trying again in a second')
    },
    faultPauses: { firstMs: TICK_MS, longestMs: TICK_MS },
  })
  ticking.start(TICK_MS)
  return { stop: async () => void (await Promise.all([ticking.stop(), forgetting.stop()])) }

  async function tick(now: number): Promise<void> {
    await ensureRunPartitions(store)
    await renewPeriods(store)
    const locked = await fitLocks(store)
    if (locked.trials + locked.searches > 0)
      log.warn(locked, 'monitors of teams were locked: their trial ended, or no credits for searches are left')
    await restUsedUp(store)
    if (performance.now() - sweptAt >= SWEEP_EVERY_MS) {
      await sweepAsked(store)
      await sweepLooks(store)
      await dropConfigurations(store)
      sweptAt = performance.now()
    }
    if (!purges.isReached(now)) return
    await purgeSessions(store)
    await purgeLinks(store)
    await purgeInvitations(store)
    await purgeInvitationMails(store)
    await purgeRateLimits(store)
    await purgePromptAnswers(store)
    await purgeIdempotentAnswers(store)
    await purgeRunnerTokens(store)
    await purgeExchangedRunnerTokens(store)
    await forgetChats(store)
    await eraseSecretsOfDeleted(store)
    purges.restart(now)
  }
}

function forgettingOf(store: Store, log: Logger): PeriodicWork {
  return createPeriodicWork({
    everyMs: FORGET_EVERY_MS,
    afterMs: FORGET_AFTER_MS,
    async work(stopping) {
      const forgotten = await forgetOld(store, stopping)
      if (Object.values(forgotten).some((count) => count > 0))
        log.info(forgotten, 'deleted rows that are older than the retention window')
    },
    onFault: (err) =>
      log.warn({ err }, 'rows that are older than the retention window could not be deleted; trying again in a day'),
  })
}

const BROWSER_LOOK_MS = 60_000
/** What waited while nothing ran is taken first. */
const BROWSER_GRACE_MS = 10 * 60_000
const BROWSER_LOG_EVERY_MS = 3_600_000

/**
 * Looks once a minute for checks that need a browser and that nobody claims. The log says so when they are seen, once
 * an hour, and when a process claims again. `end` ends them, and notifies their owners.
 */
export function createBrowserWatch(
  end: () => ReturnType<typeof endUnrendered>,
  log: OutageLog,
): { look(): Promise<void> } {
  let lookAt = performance.now() + BROWSER_GRACE_MS
  let loggedAt: number | null = null
  return {
    async look() {
      const now = performance.now()
      if (now < lookAt) return
      lookAt = now + BROWSER_LOOK_MS
      const { count, isRendered } = await end()
      if (count > 0 && (loggedAt === null || now - loggedAt >= BROWSER_LOG_EVERY_MS)) {
        loggedAt = now
        log.error({ checks: count }, NOBODY_RENDERS)
      } else if (isRendered && loggedAt !== null) {
        loggedAt = null
        log.warn({}, 'checks that need a browser are taken again')
      }
    },
  }
}

const NOBODY_RENDERS =
  'checks that need a browser wait and nobody takes them; they end as failed runs. Let this process render pages ' +
  '(TIDEMARK_BROWSER_PAGES), or start a runner (TIDEMARK_RUNNER_API_PORT)'

/** A smaller correction of the clock is ignored. */
const JUMP_MS = 30_000

/**
 * Detects when the store's clock is set back, by comparing it with this process's monotonic clock. Then it moves times
 * that are too far in the future back. The first look does so in every case, because the clock may have been set back
 * while no process ran. Rejects when the store is away; the next look catches up.
 */
function createClockWatch(store: Store, log: Logger, leaseSeconds: number): { look(): Promise<number> } {
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
      if (!isPending) return now
      const moved = await pullBack(store, { leaseSeconds, isCertain })
      if (moved.checks + moved.deliveries > 0)
        log.warn(moved, 'due times that were too far ahead of the clock were moved back')
      isPending = isCertain = false
      return now
    },
  }
}
