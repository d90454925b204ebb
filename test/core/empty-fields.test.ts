import { expect, test } from 'vitest'
import { isEmptyValue } from '../../core/diff/diff-values.ts'
import { emptyFieldWarnings, unmatchedFields } from '../../core/empty-fields.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { Json } from '../../schema/shape/json.ts'

const fields = { none: 'a', list: 'a[]', text: 'b', price: 'c' }
const config: ExtractConfig = { method: 'css', fields }
const values = { none: null, list: [], text: ' ', price: '5' }

test.each<[Json, boolean]>([
  [null, true],
  ['', true],
  [' \u00a0\n', true],
  [[], true],
  [0, false],
  [false, false],
  ['0', false],
  [['', ' \n'], true],
  [['', 'a'], false],
  [[null], false],
  [{}, false],
])('%j shows nothing of the page: %j', (value, expected) => {
  expect(isEmptyValue(value)).toBe(expected)
})

test('each field without a match is warned of; an empty element is not', () => {
  expect(unmatchedFields({ values }, config)).toEqual(['none', 'list'])
  expect(emptyFieldWarnings({ values, config, isScripted: false })).toEqual([
    'The field "none" has no match on the page. Its rule cannot notice a change there; correct the rule.',
    'The field "list" has no match on the page. Its rule cannot notice a change there; correct the rule.',
  ])
  expect(unmatchedFields({ values: {} }, config)).toEqual(Object.keys(fields))
})

test('what treatments emptied was found on the page, and is warned of by them alone', () => {
  const emptied = ['list', 'text']
  expect(unmatchedFields({ values, emptied }, config)).toEqual(['none'])
  for (const isScripted of [false, true])
    expect(emptyFieldWarnings({ values, emptied, config, isScripted })).toEqual([
      expect.stringContaining('"none" has no match on the page'),
    ])
})

test('a list of empty elements has matches', () => {
  expect(unmatchedFields({ values: { ...values, list: ['', ''] } }, config)).toEqual(['none'])
})

test('where many scripts were not run, the browser is named, for empty elements too', () => {
  const warnings = emptyFieldWarnings({ values, config, isScripted: true })
  expect(warnings).toHaveLength(3)
  for (const warning of warnings) expect(warning).toContain('try fetch_mode browser')
  expect(warnings[2]).toMatch(/^The field "text" is empty on the page/)
})

test('a pattern that was counted zero times has no match; a count that a path gives is a value', () => {
  const count = (method: 'regex' | 'xpath') => unmatchedFields({ values: { n: 0 } }, { method, fields: { n: 'x' } })
  expect(count('regex')).toEqual(['n'])
  expect(count('xpath')).toEqual([])
})
