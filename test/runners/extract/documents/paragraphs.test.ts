import { expect, test } from 'vitest'
import { DOCUMENT_LIMITS } from '../../../../runners/extract/documents/document-limits.ts'
import { paragraphsOf } from '../../../../runners/extract/documents/pdf/paragraphs.ts'

const region = (texts: readonly string[]) =>
  texts.map((text, at) => ({ fragments: [], text, x: 0, y: 12 * at, right: 100, size: 10, hasGaps: false }))
const joined = (texts: readonly string[]) => paragraphsOf(region(texts), () => false).map(({ text }) => text)

test.each([
  [['A divi-', 'ded word'], 'A divided word'],
  [['A soft\u00ad', 'ened word'], 'A softened word'],
  [['The state-of-', 'the-art lamp'], 'The state-of-the-art lamp'],
  [['A twenty-', 'year-old'], 'A twenty-year-old'],
  [['A well-known and divi-', 'ded word'], 'A well-known and divided word'],
  [['From A-', 'Z and 10-', 'fold'], 'From A- Z and 10- fold'],
  [['Ends -', 'here'], 'Ends - here'],
  // What has another hyphen is taken for divided at its own, as most programs divide it.
  [['It is self-contra-', 'dictory'], 'It is self-contra-dictory'],
])('the lines %j are "%s"', (lines, text) => {
  expect(joined(lines)).toEqual([text])
})

test('a word over thousands of lines is put together in the time of its length', () => {
  const lines = Array.from({ length: 20_000 }, () => 'abcdefgh1-')
  const started = performance.now()
  expect(joined(['a', ...lines])).toEqual([['a', ...lines].join(' ')])
  const divided = Array.from({ length: 20_000 }, () => 'abcdefghi-')
  expect(joined(divided)[0]).toHaveLength(20_000 * 9 + 1)
  expect(performance.now() - started).toBeLessThan(DOCUMENT_LIMITS.readMs)
})
