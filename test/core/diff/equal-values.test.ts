import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { equalValues } from '../../../core/diff/diff-values.ts'
import type { Json } from '../../../schema/shape/json.ts'
import { jsons, rewritten } from '../values.ts'

function nested(depth: number, core: Json): Json {
  let value = core
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value }
  return value
}

describe('equal values', () => {
  test.each<[string, Json, Json]>([
    ['white space between words', 'a  b\n c', 'a b c'],
    ['white space around', ' a ', 'a'],
    ['a no-break space and a space', '1\u00a0299', '1 299'],
    ['1 and 1.0', 1, JSON.parse('1.0') as Json],
    ['0 and -0', 0, -0],
    ['the order of keys', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['white space inside lists and objects', { a: [' b  c'] }, { a: ['b c'] }],
  ])('%s are no change', (_, one, other) => {
    expect([equalValues(one, other), equalValues(other, one)]).toEqual([true, true])
  })

  test.each<[string, Json, Json]>([
    ['a text and a number', '1', 1],
    ['a text and a boolean', 'true', true],
    ['nothing and an empty text', null, ''],
    ['nothing and zero', null, 0],
    ['zero and false', 0, false],
    ['an empty list and an empty object', [], {}],
    ['a list of one and its element', [1], 1],
    ['a list and an object with its indexes', ['a'], { 0: 'a' }],
    ['the order of a list', [1, 2], [2, 1]],
    ['capitals', 'A', 'a'],
    ['white space inside a word', 'ab', 'a b'],
    ['a missing key and one that is null', {}, { a: null }],
    ['keys of the same number', { a: 1 }, { b: 1 }],
    ['keys of the same number that are null', { a: null }, { b: null }],
    ['keys with white space', { 'a b': 1 }, { 'a  b': 1 }],
    ['a key that Object.prototype has', { toString: 1 }, { valueOf: 1 }],
    ['a key named __proto__', JSON.parse('{"__proto__": 1}') as Json, JSON.parse('{"__proto__": 2}') as Json],
    ['composed and decomposed letters', 'é', 'e\u0301'],
  ])('%s are a change', (_, one, other) => {
    expect([equalValues(one, other), equalValues(other, one)]).toEqual([false, false])
  })

  test('every value equals itself written otherwise', () => {
    fc.assert(
      fc.property(jsons, (value) => equalValues(value, rewritten(value)) && equalValues(rewritten(value), value)),
    )
  })

  test('is symmetric', () => {
    fc.assert(fc.property(jsons, jsons, (one, other) => equalValues(one, other) === equalValues(other, one)))
  })

  test('values nested a hundred thousand deep are compared', () => {
    expect(equalValues(nested(100_000, 1), nested(100_000, 1))).toBe(true)
    expect(equalValues(nested(100_000, 1), nested(100_000, 2))).toBe(false)
  })

  test('lists of half a million items are compared', () => {
    const list = Array.from({ length: 500_000 }, (_, index) => index)
    expect(equalValues(list, [...list])).toBe(true)
    expect(equalValues(list, list.with(0, 1))).toBe(false)
  })
})
