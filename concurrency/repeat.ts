/** Something done again and again, never twice at once. */
export interface Repeat {
  /** Does it now; or, if it is being done, right after that. */
  soon(): void
  /** Does it no more; resolves when what is under way has ended. */
  stop(): Promise<void>
  readonly isUnderWay: boolean
  readonly isStopped: boolean
}

/** `work` must not reject; it answers the pause until the next time, in ms. Nothing is done before the first `soon`. */
export function createRepeat(work: () => Promise<number>): Repeat {
  let underWay: Promise<void> | null = null
  let isWanted = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  function again(ms: number): void {
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(begin, ms)
  }

  function begin(): void {
    if (isStopped || underWay) return
    isWanted = false
    underWay = work().then((pauseMs) => {
      underWay = null
      again(isWanted ? 0 : pauseMs)
    })
  }

  return {
    soon() {
      isWanted = true
      if (!underWay) again(0)
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await underWay
    },
    get isUnderWay() {
      return underWay !== null
    },
    get isStopped() {
      return isStopped
    },
  }
}
