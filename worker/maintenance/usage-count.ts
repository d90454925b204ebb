import type { Logger } from '../../core/logger.ts'
import type { Store } from '../../store/db/client.ts'
import { countUsageDays, noteUsageStarts } from '../../store/quota/usage-days.ts'
import { createPeriodicWork, type PeriodicWork } from './periodic-work.ts'

const COUNT_EVERY_MS = 3_600_000

/** Counts once an hour what teams have used, and notes where the checks of a new period begin. */
export const createUsageCount = (store: Store, log: Pick<Logger, 'warn'>): PeriodicWork =>
  createPeriodicWork({
    everyMs: COUNT_EVERY_MS,
    async work(stopping) {
      await countUsageDays(store)
      await noteUsageStarts(store, stopping)
    },
    onFault: (err) => log.warn({ err }, 'what teams have used was not counted; trying again in an hour'),
  })
