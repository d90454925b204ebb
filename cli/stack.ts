import type { Logger } from '../core/logger.ts'

/** Things that were started, to be stopped in the opposite order. */
export interface Stack {
  defer(name: string, stop: () => Promise<unknown> | void): void
  /** Stops all, the last one first. One that fails is logged and does not keep the others open. */
  unwind(): Promise<void>
}

export function createStack(log: Logger): Stack {
  const stops: { name: string; stop: () => Promise<unknown> | void }[] = []
  return {
    defer: (name, stop) => stops.push({ name, stop }),
    async unwind() {
      for (let entry = stops.pop(); entry; entry = stops.pop()) {
        try {
          await entry.stop()
        } catch (error) {
          log.error({ err: error }, `could not stop ${entry.name} cleanly`)
        }
      }
    },
  }
}
