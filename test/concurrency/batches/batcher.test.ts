import { expect, test } from 'vitest'
import { createBatcher } from '../../../concurrency/batches/batch-writer.ts'

test('items that come together are flushed together, and each learns when it was', async () => {
  const batches: number[][] = []
  const batcher = createBatcher<number>({
    maxItems: 10,
    maxWaitMs: 5,
    parallel: 1,
    flush: async (items) => void batches.push([...items]),
  })
  await Promise.all([1, 2, 3].map((n) => batcher.add(n)))
  expect(batches).toEqual([[1, 2, 3]])
})

test('a full batch does not wait, and no more flush at once than may', async () => {
  let underWay = 0
  let most = 0
  const sizes: number[] = []
  const batcher = createBatcher<number>({
    maxItems: 4,
    maxWaitMs: 1,
    parallel: 2,
    flush: async (items) => {
      sizes.push(items.length)
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => setImmediate(resolve))
      underWay--
    },
  })
  await Promise.all(Array.from({ length: 41 }, (_, n) => batcher.add(n)))
  expect(sizes.reduce((sum, size) => sum + size)).toBe(41)
  expect(Math.max(...sizes)).toBe(4)
  expect(most).toBe(2)
})

test('a flush that fails fails its own items, and those after it are flushed', async () => {
  const batcher = createBatcher<number>({
    maxItems: 2,
    maxWaitMs: 1,
    parallel: 1,
    flush: async (items) => {
      if (items.includes(1)) throw new Error('no')
    },
  })
  const results = await Promise.allSettled([1, 2, 3].map((n) => batcher.add(n)))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
})
