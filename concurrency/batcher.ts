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
