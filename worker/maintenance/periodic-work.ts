/** Work that is done at an interval of the store's clock, and never twice at once. */
export interface PeriodicWork {
  /** Starts the work if it is due at this time of the store's clock, in milliseconds since the epoch. */
  look(nowMs: number): void
  /** Aborts the signal of the work; resolves when it has ended. */
  stop(): Promise<void>
}

interface PeriodicWorkOptions {
  readonly everyMs: number
  /** The time between the first look and the first work. Default 0. */
  readonly afterMs?: number
  readonly work: (stopping: AbortSignal) => Promise<void>
  /** Called with what the work throws. The work is due again after the interval. */
  readonly onFault: (error: unknown) => void
}

/**
 * The interval is one of the store's clock, because the ages that the work compares are too. A clock of the process
 * stands still while its machine sleeps. When the store's clock was set back by more, the work is
 * due at once.
 */
export function createPeriodicWork({ everyMs, afterMs = 0, work, onFault }: PeriodicWorkOptions): PeriodicWork {
  const stopping = new AbortController()
  const due = createDueTime(everyMs, afterMs)
  let underWay: Promise<void> | null = null
  return {
    look(nowMs) {
      if (underWay !== null || stopping.signal.aborted || !due.isReached(nowMs)) return
      due.restart(nowMs)
      underWay = once().finally(() => (underWay = null))
    },
    async stop() {
      stopping.abort()
      await underWay
    },
  }

  async function once(): Promise<void> {
    try {
      await work(stopping.signal)
    } catch (error) {
      onFault(error)
    }
  }
}

/** A time that comes again after an interval. */
interface DueTime {
  isReached(nowMs: number): boolean
  /** Begins the next interval. */
  restart(nowMs: number): void
}

/** The first time is reached `afterMs` after the first question. */
export function createDueTime(everyMs: number, afterMs = 0): DueTime {
  let dueAt: number | null = null
  return {
    isReached(nowMs) {
      dueAt ??= nowMs + afterMs
      // What is further ahead than any interval was set before the clock was put back.
      return nowMs >= dueAt || dueAt - nowMs > 2 * everyMs
    },
    restart: (nowMs) => void (dueAt = nowMs + everyMs),
  }
}
