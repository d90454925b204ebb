import { deepEqual } from 'node:assert/strict'
import { afterAll, expect, test } from 'vitest'
import { shared } from '../support/run/shared.ts'

const log: string[] = []
// Hooks behind tests run in the order opposite to this one.
afterAll(() => deepEqual(log, ['first starts', 'second starts', 'second ends', 'first ends']))

const resource = (name: string) => async () => {
  log.push(`${name} starts`)
  return { name, close: async () => void log.push(`${name} ends`) }
}
const first = shared(resource('first'))
const second = shared(async () => {
  const { close, ...rest } = await resource('second')()
  return { ...rest, [Symbol.asyncDispose]: close }
})
const early = (() => {
  try {
    return first.name
  } catch (error) {
    return String(error)
  }
})()

test('what the tests of a file share is there in tests, by each of its keys', () => {
  expect([first.name, second.name, 'close' in first, 'close' in second]).toEqual(['first', 'second', true, false])
  expect(log).toEqual(['first starts', 'second starts'])
})

test('is not there before them, and says so', () => {
  expect(early).toContain('it starts before the first test')
})
