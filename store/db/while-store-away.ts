import { retryWhile, type RetryOptions } from '../../concurrency/retry-while.ts'
import { isStoreAway } from './store-fault.ts'

/**
 * Does the work again while the store is away. Only for work that may be done twice. Any other error is thrown at once.
 */
export function whileStoreAway<T>(
  work: () => Promise<T>,
  options: Pick<RetryOptions, 'patienceMs' | 'log'>,
): Promise<T> {
  return retryWhile(work, { ...options, isRetryable: isStoreAway, message: 'the store is away; finished checks wait' })
}
