import { describe, expect, test } from 'vitest'
import { cutJson, membersOf, objectOf } from '../../core/json-text.ts'

const cut = (value: unknown, most = 20) => cutJson(JSON.stringify(value), most)

describe('JSON that is cut', () => {
  test.each([
    ['a text', 'abcdefghijklmnopqrstuvwxyz', 'abcdefghijklmnopqrst'],
    ['a text with characters of several bytes', 'é'.repeat(11), 'é'.repeat(10)],
    ['a text that would end within a character', `a${'é'.repeat(11)}`, `a${'é'.repeat(9)}`],
    ['a text with escapes', `"\\"\\${'"'.repeat(30)}`, `"\\"\\${'"'.repeat(16)}`],
    ['a list', [1, 2, 3, 'abcdefghi', 'k'], [1, 2, 3, 'abcdefghi']],
    ['a list of lists', [[1], [2], [3, 4, 5, 6, 7, 8, 9]], [[1], [2]]],
    ['a list whose first item is too large', ['abcdefghijklmnopqrstuvwxyz', 1], ['abcdefghijklmnop']],
    ['an object', { a: 1, b: 2, c: 'abcdefghijkl' }, { a: 1, b: 2 }],
    ['an object in an object', { a: { b: 'abcdefghijklmnopqrst' } }, { a: { b: 'abcdef' } }],
    ['an object of empty lists', { a: [], b: [], cccccccccc: [] }, { a: [], b: [] }],
  ])('%s is the beginning of what it was', (_, value, expected) => {
    expect(JSON.parse(cut(value) ?? 'null')).toEqual(expected)
  })

  test.each([
    ['a text of the size', 'abcdefghijklmnopqrst'],
    ['a text that is longer as JSON', '"'.repeat(20)],
    ['a number', 12_345],
    ['null', null],
    ['an empty list', []],
  ])('%s stays', (_, value) => {
    expect(cut(value)).toBeNull()
  })

  test('is JSON wherever it is cut', () => {
    const value = {
      a: ['x"y\\', { b: [1, -2.5e3, true, null, {}], 'c"]': 'é🙂\n' }],
      d: [[[['deep']]]],
      e: 'f'.repeat(40),
    }
    for (const spaces of [0, 2]) {
      const json = JSON.stringify(value, null, spaces)
      for (let most = 32; most < json.length; most++) {
        const text = cutJson(json, most) ?? json
        expect(() => JSON.parse(text), text).not.toThrow()
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(
          Math.max(most, Buffer.byteLength(json) * Number(text === json)),
        )
      }
    }
  })

  test('of great depth needs no more than its beginning', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(cutJson(deep, 100)?.length).toBeLessThanOrEqual(100)
  })
})

test('the members of an object are found among blanks, braces in texts and escapes', () => {
  const value = { 'a"}': [1, { b: ']' }], '': '\\', c: { d: '{"' }, e: -1, f: '\\"' }
  for (const spaces of [0, 2]) {
    const members = membersOf(JSON.stringify(value, null, spaces))
    expect(members.map(([name, text]) => [name, JSON.parse(text) as unknown])).toEqual(Object.entries(value))
    expect(JSON.parse(objectOf(members))).toEqual(value)
  }
  expect(membersOf('{}')).toEqual([])
  expect(membersOf(' { } ')).toEqual([])
})
