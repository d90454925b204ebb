import type { OutageLog } from '../../concurrency/loops/outage.ts'
import { WORK_LEVEL } from '../../schema/level.ts'
import type { AboveLevel } from '../../store/maintenance/above-level.ts'

const LOOK_MS = 60_000
const LOG_EVERY_MS = 3_600_000

/**
 * Looks once a minute for work that needs a level which no process has. The log says so when it is seen, once an hour,
 * and when it is taken. `note` looks, and notifies who installed Tidemark.
 */
export function createLevelWatch(note: () => Promise<AboveLevel>, log: OutageLog): { look(): Promise<void> } {
  // Until then each running process has reported its level.
  let lookAt = performance.now() + LOOK_MS
  let loggedAt: number | null = null
  return {
    async look() {
      const now = performance.now()
      if (now < lookAt) return
      lookAt = now + LOOK_MS
      const { checks, messages, level, workers, runners } = await note()
      if (level !== null && (loggedAt === null || now - loggedAt >= LOG_EVERY_MS)) {
        loggedAt = now
        log.error({ checks, messages, level, own_level: WORK_LEVEL, workers, runners }, NOBODY_TAKES)
      } else if (level === null && loggedAt !== null) {
        loggedAt = null
        log.warn({}, 'work of a later version is taken')
      }
    },
  }
}

const NOBODY_TAKES =
  'work waits that a later version wrote, and no process that is there has its level. Upgrade the workers where ' +
  '`workers` is true, and the runners and the workers that render pages where `runners` is'
