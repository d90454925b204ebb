import { withTimeout } from '../../concurrency/loops/retry.ts'
import type { Logger } from '../../core/logger.ts'

/** Started parts, which are stopped in the opposite order. */
export interface Stack {
  defer(name: string, stop: () => Promise<unknown> | void): void
  /**
   * Stops everything, the last part first. A part that fails is logged, and the others are still stopped. After this
   * many milliseconds in all, a part that is not done is left; each part has at least a second.
   */
  unwind(withinMs: number): Promise<void>
}

const LEAST_MS = 1_000

export function createStack(log: Logger): Stack {
  const stops: { name: string; stop: () => Promise<unknown> | void }[] = []
  return {
    defer: (name, stop) => stops.push({ name, stop }),
    async unwind(withinMs) {
      const until = performance.now() + withinMs
      for (let entry = stops.pop(); entry; entry = stops.pop()) {
        try {
          const ms = Math.max(LEAST_MS, until - performance.now())
          await withTimeout(entry.stop(), ms, () => {
            throw new Error(`not done in ${Math.round(ms)} ms`)
          })
        } catch (error) {
          log.error({ err: error }, `could not stop ${entry.name} cleanly`)
        }
      }
    },
  }
}
