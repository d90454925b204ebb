/** Wakes one sleeper. A ring while nobody sleeps is kept for the next. */
interface Bell {
  ring(): void
  /** Resolves at the next ring, or after this many milliseconds. */
  wait(ms: number): Promise<void>
}

export function createBell(): Bell {
  let rung = false
  let wake: (() => void) | null = null
  return {
    ring() {
      rung = true
      wake?.()
    },
    async wait(ms) {
      if (!rung) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, ms)
        wake = resolve
        await promise
        wake = null
        clearTimeout(timer)
      }
      rung = false
    },
  }
}
