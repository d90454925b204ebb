import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../core/logger.ts'

export interface RetryOptions {
  /** Tries go on for this long; after that the last error is thrown. */
  readonly patienceMs: number
  readonly log: Logger
  /** Logged with each error that is tried again. */
  readonly message: string
  /** Whether the work may succeed later. Any other error is thrown at once. */
  readonly isRetryable: (error: unknown) => boolean
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1000

/**
 * Does the work again while its error is one that passes, with doubling pauses. Only for work that may be done twice.
 */
export async function retryWhile<T>(
  work: () => Promise<T>,
  { patienceMs, log, message, isRetryable }: RetryOptions,
): Promise<T> {
  const until = performance.now() + patienceMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    try {
      return await work()
    } catch (error) {
      if (!isRetryable(error) || performance.now() > until) throw error
      log.warn({ err: error }, message)
      await pause(pauseMs)
    }
  }
}
