import { createBackoff } from './backoff.ts'
import { sleep } from './sleep.ts'

export interface RetryOptions {
  /** Attempts are repeated for this long. After that the last error is thrown. */
  readonly patienceMs: number
  /** Returns whether the work may succeed later. Any other error is thrown at once. */
  readonly isRetryable: (error: unknown) => boolean
  /** Called with each error after which the work is repeated. */
  readonly onRetry: (error: unknown) => void
  /** Ends the attempts: the last error is thrown. */
  readonly signal?: AbortSignal | undefined
}

const PAUSES = { firstMs: 50, longestMs: 1_000 }

/** Repeats the work while its error is temporary, with doubling pauses. Use it only for work that is safe to repeat. */
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
