import { createBackoff, type Pauses } from './backoff.ts'

/** Work that is done again and again, never twice at once. */
export interface WakeableLoop {
  /** Does the work for the first time after this long, default 0. */
  start(afterMs?: number): void
  /**
   * Does the work now; or, if it is being done, right after that. After a fault it waits for its pause nevertheless.
   */
  wake(): void
  /** Does it no more; resolves when what is under way has ended. */
  stop(): Promise<void>
  readonly isUnderWay: boolean
  readonly isStopped: boolean
}

interface WakeableLoopOptions {
  /** Returns the pause until the next time, in milliseconds. The signal is aborted by `stop`. */
  readonly work: (stopping: AbortSignal) => Promise<number>
  /** Called with what the work throws. */
  readonly onFault: (error: unknown) => void
  /** Waited for after a fault, before the work is tried again. */
  readonly faultPauses: Pauses
  /** A wake waits this long for others to come with it, default 0. */
  readonly gatherMs?: number
}

export function createWakeableLoop({ work, onFault, faultPauses, gatherMs = 0 }: WakeableLoopOptions): WakeableLoop {
  const stopping = new AbortController()
  const pauses = createBackoff(faultPauses)
  let underWay: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  /** A wake came, and the work has not begun since. */
  let isWoken = false
  let hasFailed = false

  function beginIn(ms: number): void {
    clearTimeout(timer)
    if (!stopping.signal.aborted) timer = setTimeout(() => void (underWay ??= once()), ms)
  }

  async function once(): Promise<void> {
    isWoken = false
    const pauseMs = await tried()
    underWay = null
    beginIn(isWoken && !hasFailed ? gatherMs : pauseMs)
  }

  async function tried(): Promise<number> {
    try {
      const pauseMs = await work(stopping.signal)
      pauses.reset()
      hasFailed = false
      return pauseMs
    } catch (error) {
      hasFailed = true
      onFault(error)
      return pauses.next()
    }
  }

  return {
    start: (afterMs = 0) => beginIn(afterMs),
    wake() {
      // A second wake does not put the first one off.
      if (!isWoken && underWay === null && !hasFailed) beginIn(gatherMs)
      isWoken = true
    },
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await underWay
    },
    get isUnderWay() {
      return underWay !== null
    },
    get isStopped() {
      return stopping.signal.aborted
    },
  }
}
