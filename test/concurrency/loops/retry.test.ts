import { expect, test } from 'vitest'
import { createBackoff, retryWhile } from '../../../concurrency/loops/retry.ts'

test('pauses double up to the longest, and begin anew after a success', () => {
  const pauses = createBackoff({ firstMs: 100, longestMs: 350 })
  expect([pauses.next(), pauses.next(), pauses.next(), pauses.next()]).toEqual([100, 200, 350, 350])
  pauses.reset()
  expect(pauses.next()).toBe(100)
})

/** Fails so many times. */
function failing(times: number) {
  let tries = 0
  return async () => {
    tries += 1
    if (tries <= times) throw new Error(`try ${tries}`)
    return tries
  }
}

const always = () => true

test('work is tried again until it succeeds; each error is reported', async () => {
  const reported: unknown[] = []
  const onRetry = (error: unknown) => reported.push(error)
  expect(await retryWhile(failing(2), { patienceMs: 60_000, isRetryable: always, onRetry })).toBe(3)
  expect(reported).toEqual([new Error('try 1'), new Error('try 2')])
})

test('an error that does not pass is thrown at once, and any when the patience is over', async () => {
  const onRetry = () => expect.unreachable()
  const at = (patienceMs: number, isRetryable: () => boolean) =>
    retryWhile(failing(5), { patienceMs, isRetryable, onRetry })
  await expect(at(60_000, () => false)).rejects.toThrow('try 1')
  await expect(at(-1, always)).rejects.toThrow('try 1')
})

test('the signal ends the tries', async () => {
  const ending = new AbortController()
  const onRetry = () => ending.abort()
  const retried = retryWhile(failing(5), { patienceMs: Infinity, isRetryable: always, onRetry, signal: ending.signal })
  await expect(retried).rejects.toThrow('try 1')
})
