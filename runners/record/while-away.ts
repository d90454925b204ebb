import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../../core/logger.ts'
import { isStoreAway } from '../../store/store-fault.ts'

interface Patience {
  /** Tries go on for this long; after that the last error is thrown. */
  readonly patienceMs: number
  readonly log: Logger
  /** Whether the work may succeed later. Default: whether the store is away. */
  readonly isAway?: (error: unknown) => boolean
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1000

/** Does the work again while the store is away. Only for what may be done twice. Any other error is thrown at once. */
export async function whileAway<T>(
  work: () => Promise<T>,
  { patienceMs, log, isAway = isStoreAway }: Patience,
): Promise<T> {
  const until = performance.now() + patienceMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    try {
      return await work()
    } catch (error) {
      if (!isAway(error) || performance.now() > until) throw error
      log.warn({ err: error }, 'the store is away; finished checks wait')
      await pause(pauseMs)
    }
  }
}
