import { afterAll, expect, test } from 'vitest'
import { createPatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'

const patterns = createPatternMatcher({ timeoutMs: 300 })
afterAll(() => patterns.close())

const EVIL = '^(a+)+$'
const LONG = `${'a'.repeat(40)}!`

test('a pattern matches anywhere in the text, as JavaScript has it', async () => {
  expect(await patterns.matches('\\d+ left', 'only 3 left!')).toBe(true)
  expect(await patterns.matches('^3', 'only 3 left!')).toBe(false)
  expect(await patterns.matches('(?i:SOLD)', 'sold out')).toBe(true)
})

test('a pattern that backtracks for ever is given up, and those after it are answered', async () => {
  const started = performance.now()
  const answers = await Promise.all([
    patterns.matches(EVIL, LONG),
    patterns.matches('b', 'abc'),
    patterns.matches(EVIL, LONG),
    patterns.matches('x', 'abc'),
  ])
  expect(answers).toEqual(['timeout', true, 'timeout', false])
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('what does not compile does not match', async () => {
  expect(await patterns.matches('(', 'anything')).toBe(false)
})

test('the start of a thread does not count as the time of a pattern', async () => {
  const strict = createPatternMatcher({ timeoutMs: 25 })
  expect(await strict.matches('b', 'abc')).toBe(true)
  await strict.close()
})
