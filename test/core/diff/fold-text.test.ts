import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldText } from '../../../core/diff/diff-values.ts'
import { texts } from '../values.ts'

test.each([
  ['a b', 'a b'],
  [' a', 'a'],
  ['a ', 'a'],
  ['a\nb', 'a b'],
  ['a  b', 'a b'],
  ['a\u00a0b', 'a b'],
  ['a\u2003\u2003b', 'a b'],
  ['\ufeffa', 'a'],
  ['\t', ''],
  ['', ''],
])('%j is folded to %j', (text, folded) => {
  expect(foldText(text)).toBe(folded)
})

test('folded text has single spaces only, none at an end, and is folded to itself', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const folded = foldText(text)
      expect(folded).toBe(text.split(/\s+/).filter(Boolean).join(' '))
      expect(foldText(folded)).toBe(folded)
    }),
  )
})

test('a million spaces take less than a tenth of a second', () => {
  const start = process.threadCpuUsage()
  expect(foldText(`a${' '.repeat(1_000_000)}b${' '.repeat(1_000_000)}`)).toBe('a b')
  expect(process.threadCpuUsage(start).user).toBeLessThan(100_000)
})
