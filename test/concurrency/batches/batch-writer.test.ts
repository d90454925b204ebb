import { expect, test } from 'vitest'
import { createBatchWriter } from '../../../concurrency/batches/batch-writer.ts'

class AwayError extends Error {}

interface Writing {
  readonly write: (items: readonly number[]) => void
  readonly giveUp?: (item: number) => void
  readonly patienceMs?: number
  readonly signal?: AbortSignal
}

/** A writer of numbers; `batches`: what was written. */
function opened({ write, giveUp = () => {}, patienceMs = 60_000, signal }: Writing) {
  const batches: number[][] = []
  const retried: unknown[] = []
  const writer = createBatchWriter<number>({
    maxItems: 100,
    maxWaitMs: 1,
    parallel: 1,
    patienceMs,
    signal,
    isRetryable: (error) => error instanceof AwayError,
    onRetry: (error) => retried.push(error),
    async write(items) {
      write(items)
      batches.push([...items])
    },
    giveUp: async (item) => giveUp(item),
  })
  const addAll = (count: number) => Promise.allSettled(Array.from({ length: count }, (_, n) => writer.add(n)))
  return { batches, retried, addAll, writer }
}

test('one item that is refused does not take others with it, and is given up', async () => {
  const givenUp: number[] = []
  const refuse = (items: readonly number[]) => {
    if (items.includes(5)) throw new Error('refused')
  }
  const { batches, addAll } = opened({ write: refuse, giveUp: (item) => givenUp.push(item) })
  const results = await addAll(9)
  expect(results.every(({ status }) => status === 'fulfilled')).toBe(true)
  expect(batches.flat()).toEqual([0, 1, 2, 3, 4, 6, 7, 8])
  expect(givenUp).toEqual([5])
})

test('while the store is away a batch is tried again, whole; so is the giving up', async () => {
  let tries = 0
  const away = (error: Error) => {
    tries += 1
    if (tries % 2 === 1) throw new AwayError()
    throw error
  }
  const givenUp: number[] = []
  const write = () => away(new Error('refused'))
  const giveUp = (item: number) => {
    tries += 1
    if (tries % 2 === 1) throw new AwayError()
    givenUp.push(item)
  }
  const { retried, addAll } = opened({ write, giveUp })
  expect((await addAll(1)).map(({ status }) => status)).toEqual(['fulfilled'])
  expect([retried.length, givenUp]).toEqual([2, [0]])
})

test('a store that stays away fails the batch when the patience is over, or at the signal', async () => {
  const write = () => {
    throw new AwayError()
  }
  const impatient = opened({ write, patienceMs: -1 })
  expect((await impatient.addAll(2)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const closing = new AbortController()
  const closed = opened({ write, patienceMs: Infinity, signal: closing.signal })
  const added = closed.addAll(2)
  closing.abort()
  expect((await added).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
