import { expect, test } from 'vitest'
import { withTimeout } from '../../../concurrency/loops/retry.ts'

const never = () => new Promise<never>(() => {})

test('work that is done in time gives its result, and one that fails its error', async () => {
  expect(await withTimeout(Promise.resolve(1), 1_000, () => 'late')).toBe(1)
  expect(await withTimeout(2, 1_000, () => 'late')).toBe(2)
  await expect(withTimeout(Promise.reject(new Error('no')), 1_000, () => 'late')).rejects.toThrow('no')
})

test('work that takes too long is left, with a value or an error', async () => {
  expect(await withTimeout(never(), 1, () => 'late')).toBe('late')
  const refuse = () => {
    throw new Error('too late')
  }
  await expect(withTimeout(never(), 1, refuse)).rejects.toThrow('too late')
})

test('work that fails after its time harms nobody', async () => {
  const { promise, reject } = Promise.withResolvers<number>()
  expect(await withTimeout(promise, 1, () => 'late')).toBe('late')
  reject(new Error('later'))
  await new Promise((resolve) => setImmediate(resolve))
})
