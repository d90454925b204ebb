import { type Batcher, type Batching, createBatcher } from './batcher.ts'
import { retryWhile, type RetryOptions } from './retry-while.ts'

interface BatchWriterOptions<T> extends Batching, RetryOptions {
  /** Must be idempotent: it is repeated when its outcome is unknown. */
  readonly write: (items: readonly T[]) => Promise<unknown>
  /** Called for an item that the store refuses even alone, in place of `write` and with the same retries. */
  readonly giveUp: (item: T, error: unknown) => Promise<void>
}

/**
 * Writes items in batches. While the store is away, a batch is retried. When the store refuses a batch, its halves are
 * tried separately, and so on, so that one bad item does not fail the others. `add` rejects when the store stays away
 * for longer than the patience.
 */
export function createBatchWriter<T>(options: BatchWriterOptions<T>): Batcher<T> {
  const { write, giveUp, isRetryable } = options

  async function writeAll(items: readonly T[]): Promise<void> {
    try {
      await retryWhile(() => write(items), options)
    } catch (error) {
      if (isRetryable(error)) throw error
      const [only] = items
      if (items.length === 1 && only !== undefined) return retryWhile(() => giveUp(only, error), options)
      const middle = Math.ceil(items.length / 2)
      await writeAll(items.slice(0, middle))
      await writeAll(items.slice(middle))
    }
  }

  return createBatcher({ ...options, flush: writeAll })
}
