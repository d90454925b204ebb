import { describe, expect, test } from 'vitest'
import { batched } from '../../../concurrency/batches/batched.ts'

const BATCHES = { maxItems: 100, maxWaitMs: 1, parallel: 1 }

describe('A function whose calls are made in batches', () => {
  test('answers each call from the result at its position in the batch', async () => {
    const calls: string[] = []
    const upper = batched({
      ...BATCHES,
      call: (items: readonly string[]) => {
        calls.push(items.join(' '))
        return Promise.resolve(items.map((item) => item.toUpperCase()))
      },
      isOfOne: () => true,
    })
    expect(await Promise.all(['a', 'b', 'c'].map(upper))).toEqual(['A', 'B', 'C'])
    expect(calls).toEqual(['a b c'])
  })

  test('refuses the item that fails alone, and answers the others', async () => {
    const square = batched({
      ...BATCHES,
      call: (items: readonly number[]) =>
        items.includes(2) ? Promise.reject(new Error('no two')) : Promise.resolve(items.map((item) => item * item)),
      isOfOne: () => true,
    })
    const found = await Promise.allSettled([1, 2, 3].map(square))
    expect(found.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([
      1,
      'Error: no two',
      9,
    ])
  })

  test('refuses all items of a batch whose fault none of them has caused, after one call', async () => {
    let calls = 0
    const away = batched({
      ...BATCHES,
      call: () => {
        calls += 1
        return Promise.reject(new Error('away'))
      },
      isOfOne: () => false,
    })
    const found = await Promise.allSettled([1, 2, 3].map((item) => away(item)))
    expect(found.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(calls).toBe(1)
  })
})
