import { retryWhile, type RetryOptions } from '../../concurrency/retry-while.ts'
import type { Logger } from '../../core/logger.ts'
import { isStoreAway } from './store-fault.ts'

interface Patience {
  readonly patienceMs: number
  readonly log: Logger
}

/**
 * Retries the work while the store is unavailable. Only for work that may be done twice. Any other error is thrown at
 * once.
 */
export function whileStoreAway<T>(work: () => Promise<T>, patience: Patience): Promise<T> {
  return retryWhile(work, storeAway(patience))
}

/** Returns the options for retrying work on the store. */
export function storeAway({ patienceMs, log }: Patience): RetryOptions {
  const onRetry = (err: unknown) => log.warn({ err }, 'the store is away; finished checks wait')
  return { patienceMs, isRetryable: isStoreAway, onRetry }
}
