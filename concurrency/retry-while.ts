import { createBackoff } from './backoff.ts'
import { sleep } from './sleep.ts'

export interface RetryOptions {
  /** Tries go on for this long; after that the last error is thrown. */
  readonly patienceMs: number
  /** Whether the work may succeed later. Any other error is thrown at once. */
  readonly isRetryable: (error: unknown) => boolean
  /** Called with each error that is tried again. */
  readonly onRetry: (error: unknown) => void
  /** Ends the tries: the last error is thrown. */
  readonly signal?: AbortSignal | undefined
}

const PAUSES = { firstMs: 50, longestMs: 1_000 }

/**
 * Does the work again while its error is one that passes, with doubling pauses. Only for work that may be done twice.
 */
export async function retryWhile<T>(
  work: () => Promise<T>,
  { patienceMs, isRetryable, onRetry, signal }: RetryOptions,
): Promise<T> {
  const until = performance.now() + patienceMs
  for (const pauses = createBackoff(PAUSES); ;) {
    try {
      return await work()
    } catch (error) {
      if (!isRetryable(error) || performance.now() > until) throw error
      onRetry(error)
      await sleep(pauses.next(), signal)
      if (signal?.aborted) throw error
    }
  }
}
