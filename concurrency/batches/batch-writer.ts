import { retryWhile, type RetryOptions } from '../loops/retry.ts'

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

/** Collects items and passes them on in batches (group commit). */
export interface Batcher<T> {
  /** Resolves when the batch with the item was flushed; rejects if the flush rejects. */
  add(item: T): Promise<void>
}

/** The conditions under which a batch is flushed. */
export interface Batching {
  readonly maxItems: number
  /** A batch waits at most this long for more items, in ms. */
  readonly maxWaitMs: number
  /** The most flushes at once. Items that arrive in the meantime make the next batch larger. */
  readonly parallel: number
}

interface BatcherOptions<T> extends Batching {
  readonly flush: (items: readonly T[]) => Promise<void>
}

interface Entry<T> {
  readonly item: T
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export function createBatcher<T>(options: BatcherOptions<T>): Batcher<T> {
  const waiting: Entry<T>[] = []
  let timer: NodeJS.Timeout | undefined
  const underWay = new Set<Promise<void>>()

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0 || underWay.size >= options.parallel) return
    const batch = waiting.splice(0, options.maxItems)
    const flushed = options.flush(batch.map(({ item }) => item)).then(
      () => batch.forEach(({ resolve }) => resolve()),
      (error: unknown) => batch.forEach(({ reject }) => reject(error)),
    )
    const done = flushed.then(() => {
      underWay.delete(done)
      plan()
    })
    underWay.add(done)
  }

  function plan(): void {
    if (waiting.length >= options.maxItems) start()
    else if (waiting.length > 0) timer ??= setTimeout(start, options.maxWaitMs)
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        plan()
      }),
  }
}
