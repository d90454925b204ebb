import { expect, test } from 'vitest'
import { csvLine } from '../../core/csv.ts'

test('every cell is quoted, quotes are doubled, and null is empty', () => {
  expect(csvLine(['a', 'b "c"', null, 'd\r\ne, f', ''])).toBe('"a","b ""c""","","d\r\ne, f",""\r\n')
})

test.each(['=1', '+1', '-1', '@a', '\t1', '\r1', '\n1', '＝1', '＋1', '－1', '＠1'])(
  '%j gets an apostrophe',
  (cell) => {
    expect(csvLine([cell])).toBe(`"'${cell}"\r\n`)
  },
)

test.each(['a=1', '1-1', "'=1", ' =1', ''])('%j stays as it is', (cell) => {
  expect(csvLine([cell])).toBe(`"${cell}"\r\n`)
})

test.each([
  ['a;=1', "a;'=1"],
  ['a; "@b', `a;' ""@b`],
  ['a\n-1', "a\n'-1"],
  ['{"name":"x;+1"}', `{""name"":""x;'+1""}`],
  ['a;b', 'a;b'],
])('what follows a semicolon or a line break in %j is no formula either', (cell, shown) => {
  expect(csvLine([cell])).toBe(`"${shown}"\r\n`)
})
