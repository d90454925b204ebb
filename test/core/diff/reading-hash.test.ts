import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffValues } from '../../../core/diff/diff-values.ts'
import { readingHash } from '../../../core/diff/reading-hash.ts'
import type { Json, Values } from '../../../schema/shape/json.ts'
import { readings, rewritten } from '../values.ts'

const hex = (values: Values) => readingHash(values).toString('hex')

describe('the hash of a reading', () => {
  test('is the same from release to release', () => {
    // A change here makes every monitor of every installation compare once more than it had to.
    expect(hex({ price: '$5', tags: ['a', { b: null, c: 1.5 }], gone: null })).toBe('ad5081d94d4fd62786dbb47c53fbb44b')
    expect(hex({})).toBe('e3b0c44298fc1c149afbf4c8996fb924')
  })

  test('has sixteen bytes', () => {
    expect(readingHash({ a: 1 })).toHaveLength(16)
  })

  test('is equal exactly when nothing differs', () => {
    // Two readings at random are hardly ever alike: so the second is often the first, written otherwise, with one field
    // exchanged at most.
    const pairs = fc.tuple(readings, readings, fc.boolean()).map(([one, other, isAlike]): [Values, Values] => {
      if (!isAlike) return [one, other]
      const [exchanged] = Object.entries(other)
      return [one, Object.fromEntries([...Object.entries(rewritten(one) as Values), ...(exchanged ? [exchanged] : [])])]
    })
    fc.assert(
      fc.property(pairs, ([one, other]) => (hex(one) === hex(other)) === (diffValues(one, other, []) === null)),
      { numRuns: 1000 },
    )
  })

  test('is equal for a reading written otherwise', () => {
    fc.assert(fc.property(readings, (values) => hex(values) === hex(rewritten(values) as Values)))
  })

  test('does not tell a field that is absent from one that is null', () => {
    expect(hex({ a: 1, b: null })).toBe(hex({ a: 1 }))
  })

  test.each<[string, Values, Values]>([
    ['a name and its value', { a: 'b' }, { b: 'a' }],
    ['one list and another of the same text', { a: ['b,c'] }, { a: ['b', 'c'] }],
    ['a nested list and a flat one', { a: [['b'], 'c'] }, { a: ['b', ['c']] }],
    ['an empty list, a list of null and null', { a: [] }, { a: [null] }],
    ['a text that looks like another field', { a: 'x"\n"b":"y' }, { a: 'x', b: 'y' }],
  ])('tells %s apart', (_, one, other) => {
    expect(hex(one)).not.toBe(hex(other))
  })

  test('is made of values nested a hundred thousand deep', () => {
    let value: Json = 1
    for (let i = 0; i < 100_000; i++) value = [value]
    expect(readingHash({ value })).toHaveLength(16)
  })
})
