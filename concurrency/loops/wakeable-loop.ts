import { createBackoff, type Pauses } from './retry.ts'

/** Work that is repeated and never runs twice at once. */
export interface WakeableLoop {
  /** Runs the work for the first time after this delay, default 0. */
  start(afterMs?: number): void
  /** Runs the work now, or right after the current run. After a fault it still waits for the pause. */
  wake(): void
  /** Stops the loop; resolves when the current run has ended. */
  stop(): Promise<void>
  readonly isUnderWay: boolean
  readonly isStopped: boolean
}

interface WakeableLoopOptions {
  /** Returns the pause until the next run, in milliseconds. The signal is aborted by `stop`. */
  readonly work: (stopping: AbortSignal) => Promise<number>
  /** Called with what the work throws. */
  readonly onFault: (error: unknown) => void
  /** The pauses after a fault, before the work is repeated. */
  readonly faultPauses: Pauses
  /** A wake waits this long so that others can join it, default 0. */
  readonly gatherMs?: number
}

export function createWakeableLoop({ work, onFault, faultPauses, gatherMs = 0 }: WakeableLoopOptions): WakeableLoop {
  const stopping = new AbortController()
  const pauses = createBackoff(faultPauses)
  let underWay: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  /** A wake came, and the work has not begun since then. */
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
      // A second wake does not postpone the first one.
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

/** Tracks the promises that are not settled yet. */
export class Running {
  #count = 0
  #rest: PromiseWithResolvers<void> | null = null

  /** Tracks the work until it is settled. The work must not reject, or another caller must handle the rejection. */
  add(work: Promise<unknown>): void {
    this.#count += 1
    work.then(this.#ended, this.#ended)
  }

  readonly #ended = (): void => {
    this.#count -= 1
    if (this.#count > 0) return
    this.#rest?.resolve()
    this.#rest = null
  }

  /** Resolves when all work is settled, including work that was added in the meantime. */
  async settled(): Promise<void> {
    // Work that ended may have started new work.
    while (this.#count > 0) await (this.#rest ??= Promise.withResolvers<void>()).promise
  }
}
