import { type Batching, createBatcher } from './batch-writer.ts'

interface BatchedOptions<T, R> extends Batching {
  /** Returns one result for each item, in the same order. */
  readonly call: (items: readonly T[]) => Promise<readonly R[]>
  /** Returns whether one item may have caused the fault of its batch. Then each item is called alone. */
  readonly isOfOne: (error: unknown) => boolean
}

/** Returns a function of one item, whose calls are made together in batches. */
export function batched<T, R>({ call, isOfOne, ...batching }: BatchedOptions<T, R>): (item: T) => Promise<R> {
  interface Entry extends PromiseWithResolvers<R> {
    readonly item: T
  }

  async function flush(entries: readonly Entry[]): Promise<void> {
    try {
      const results = await call(entries.map(({ item }) => item))
      if (results.length !== entries.length) throw new Error('a batch needs one result for each item')
      for (const [index, { resolve }] of entries.entries()) resolve(results[index] as R)
    } catch (error) {
      if (entries.length > 1 && isOfOne(error)) for (const entry of entries) await flush([entry])
      else for (const { reject } of entries) reject(error)
    }
  }

  const batcher = createBatcher<Entry>({ ...batching, flush })
  return (item) => {
    const entry = { item, ...Promise.withResolvers<R>() }
    void batcher.add(entry)
    return entry.promise
  }
}
