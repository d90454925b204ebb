import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { KeyedQueue, type WorkResult } from '../../../concurrency/loops/keyed-queue.ts'

describe('A queue of keys', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A queue whose work waits until the test ends it. */
  function queueOf(workers = 1, repeats = { perSecond: 1_000, burst: 1_000 }) {
    const began: string[] = []
    const faults: string[] = []
    const open = new Map<string, PromiseWithResolvers<WorkResult>>()
    const queue = new KeyedQueue({
      work: (key) => {
        began.push(key)
        const work = Promise.withResolvers<WorkResult>()
        open.set(key, work)
        return work.promise
      },
      onFault: (key, error) => faults.push(`${key}: ${(error as Error).message}`),
      workers,
      faultPauses: { firstMs: 100, longestMs: 300 },
      repeats,
    })
    const settle = async (key: string, how: (work: PromiseWithResolvers<WorkResult>) => void) => {
      how(open.get(key)!)
      await vi.advanceTimersByTimeAsync(0)
    }
    return {
      queue,
      began,
      faults,
      end: (key: string, result?: WorkResult) => settle(key, ({ resolve }) => resolve(result)),
      fail: (key: string) => settle(key, ({ reject }) => reject(new Error('no'))),
    }
  }

  test('works on a key once, however often it was added, and as many keys at a time as it has workers', async () => {
    const { queue, began, end } = queueOf(2)
    for (const key of ['a', 'a', 'b', 'a', 'c']) queue.add(key)
    queue.start()
    expect(began).toEqual(['a', 'b'])
    expect(queue.depth).toBe(1)
    await end('a')
    expect(began).toEqual(['a', 'b', 'c'])
  })

  test('works at once on all keys that failed when that is asked for, and on no other', async () => {
    const { queue, began, fail, end } = queueOf(3)
    queue.start()
    for (const key of ['a', 'b', 'c']) queue.add(key)
    await fail('a')
    await fail('b')
    await end('c')
    queue.retryFailing()
    expect(began).toEqual(['a', 'b', 'c', 'a', 'b'])
    await end('a')
    await end('b')
    queue.retryFailing()
    expect(began).toHaveLength(5)
  })

  test('works once more on a key that was added during its work, and never twice at once', async () => {
    const { queue, began, end } = queueOf(2)
    queue.start()
    queue.add('a')
    queue.add('a')
    queue.add('a')
    expect(began).toEqual(['a'])
    await end('a')
    expect(began).toEqual(['a', 'a'])
    await end('a')
    expect(began).toEqual(['a', 'a'])
  })

  test('takes what a person waits for before what can wait', async () => {
    const { queue, began, end } = queueOf()
    queue.add('later', 'later')
    queue.add('sooner', 'later')
    queue.add('person')
    queue.add('sooner')
    queue.start()
    await end('person')
    await end('sooner')
    expect(began).toEqual(['person', 'sooner', 'later'])
  })

  test('tries a key again after a fault, with longer pauses, until it succeeds', async () => {
    const { queue, began, faults, end, fail } = queueOf()
    queue.start()
    queue.add('a')
    for (const pause of [100, 200, 300, 300]) {
      await fail('a')
      expect(queue.failing).toBe(1)
      const before = began.length
      await vi.advanceTimersByTimeAsync(pause - 1)
      expect(began).toHaveLength(before)
      await vi.advanceTimersByTimeAsync(1)
      expect(began).toHaveLength(before + 1)
    }
    await end('a')
    expect(queue.failing).toBe(0)
    expect(faults).toEqual(['a: no', 'a: no', 'a: no', 'a: no'])
  })

  test('works at once on a failing key that is added again', async () => {
    const { queue, began, fail } = queueOf()
    queue.start()
    queue.add('a')
    await fail('a')
    queue.add('a')
    expect(began).toEqual(['a', 'a'])
  })

  test('bounds the repeats of all keys together', async () => {
    const { queue, began, fail } = queueOf(3, { perSecond: 1, burst: 1 })
    queue.start()
    for (const key of ['a', 'b', 'c']) queue.add(key)
    for (const key of ['a', 'b', 'c']) await fail(key)
    await vi.advanceTimersByTimeAsync(100)
    expect(began).toHaveLength(4)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(began).toHaveLength(5)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(began).toHaveLength(6)
  })

  test('lets no key wait for more than 30 seconds because of the repeats of others', async () => {
    const { queue, began, fail } = queueOf(200, { perSecond: 1, burst: 1 })
    queue.start()
    const keys = Array.from({ length: 200 }, (_, n) => `key ${n}`)
    for (const key of keys) queue.add(key)
    for (const key of keys) await fail(key)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(began).toHaveLength(400)
  })

  test('looks again when the work asks for it, at the earliest time that was asked for', async () => {
    const { queue, began, end } = queueOf()
    queue.start()
    queue.add('a')
    await end('a', { againMs: 500 })
    queue.addAfter('a', 9_000)
    await vi.advanceTimersByTimeAsync(499)
    expect(began).toEqual(['a'])
    await vi.advanceTimersByTimeAsync(1)
    expect(began).toEqual(['a', 'a'])
  })

  test('begins nothing after its stop, and waits for the work under way', async () => {
    const { queue, began, end } = queueOf()
    queue.start()
    queue.add('a')
    queue.add('b')
    let isStopped = false
    const stopped = queue.stop().then(() => (isStopped = true))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(isStopped).toBe(false)
    await end('a')
    await stopped
    expect(began).toEqual(['a'])
  })
})
