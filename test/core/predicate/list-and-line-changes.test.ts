import { describe, expect, test } from 'vitest'
import { cutMark } from '../../../core/diff/cut-mark.ts'
import { diffValues } from '../../../core/diff/diff-values.ts'
import { fires } from '../../../core/predicate/fires.ts'
import { matchPattern } from '../../../runners/pattern/match-pattern.ts'
import type { DiffPredicate } from '../../../schema/monitor/diff-predicate.ts'
import type { Json } from '../../../schema/shape/json.ts'
import { firesOn, onField } from './fires-on.ts'

const cut = (of: number) => cutMark(String(of).repeat(32))

describe('list_gains_items', () => {
  const gains: DiffPredicate = { type: 'list_gains_items', field: 'f' }
  test.each<[before: Json, after: Json, expected: boolean]>([
    [['a'], ['b', 'a'], true],
    [['a', 'b', 'c'], ['x', 'a', 'b'], true],
    [['a', 'b', 'c'], ['x', 'y', 'z'], true],
    [[], ['a'], true],
    [['a'], ['a', 'a'], true],
    [['a', 'b', 'c'], ['a', 'b'], false],
    [['a', 'b'], ['b', 'a'], false],
    [['a', 'b'], ['b'], false],
    [['a', 'a'], ['a'], false],
    [['a'], [], false],
    [['a b'], [' a  b '], false],
    [null, ['a'], true],
    [null, [], false],
    [['a'], null, false],
    ['a', ['a', 'b'], false],
    ['a', 'b', false],
    // Lists that were cut, with a hash of the whole.
    [['a', 'b', cut(1)], ['a', 'b', cut(2)], true],
    [['a', 'b', cut(1)], ['b', 'c', cut(2)], false],
    [['a', 'b', cut(1)], ['b', 'a', cut(2)], false],
    [['a', 'b', cut(1)], ['a', 'b'], false],
  ])('%j → %j: %j', (before, after, expected) => {
    expect(onField(gains, before, after)).toBe(expected)
  })

  const items = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `item ${from + at}`)
  test.each<[what: string, before: Json, after: Json, expected: boolean]>([
    ['1,000 items to 1,001', items(1000), [...items(999), cut(1)], true],
    ['999 items to 1,001', items(999), [...items(999), cut(1)], true],
    ['1,000 items to 1,001, of which the first is gone', items(1000), [...items(999, 1), cut(1)], true],
    ['1,000 items to 1,001, of which the first is new', items(1000), [...items(999, -1), cut(1)], true],
    ['1,000 items to more bytes than are kept', items(1000), [...items(998), cut(1)], true],
    ['a list that is cut to one that is cut earlier', [...items(9), cut(1)], [...items(8), cut(2)], true],
    ['a list that is no longer cut', [...items(999), cut(1)], items(1000), false],
  ])('from %s', (_what, before, after, expected) => {
    expect(onField(gains, before, after)).toBe(expected)
  })

  test('a list that is cut because other fields left less room has gained nothing', () => {
    const before = { f: items(1000), other: 'a' }
    expect(firesOn(gains, before, { f: [...items(998), cut(1)], other: 'b'.repeat(255_000) })).toBe(false)
    expect(firesOn(gains, before, { f: [...items(998), cut(1)], other: 'b'.repeat(200_000) })).toBe(true)
  })

  test('items from before an empty reading are no gains, and others are', () => {
    const on = (after: Json) => {
      const [before, now] = [{ f: [] }, { f: after }]
      const diff = diffValues(before, now, ['f'])
      return fires(gains, { diff, before, after: now, lists: { f: ['a', 'b'] } }, matchPattern)
    }
    expect(on(['b', 'a'])).toBe(false)
    expect(on(['a', 'c'])).toBe(true)
  })

  test('is silent while another field changes', () => {
    expect(firesOn(gains, { f: ['a'], other: 1 }, { f: ['a'], other: 2 })).toBe(false)
  })
})

describe('list_loses_items', () => {
  const loses: DiffPredicate = { type: 'list_loses_items', field: 'f' }
  test.each<[before: Json, after: Json, expected: boolean]>([
    [['a', 'b'], ['a'], true],
    [['a', 'b'], ['b', 'c'], true],
    [['a', 'a'], ['a'], true],
    [['a'], [], true],
    [['a'], null, true],
    [['a'], ['b', 'a'], false],
    [['a', 'b'], ['b', 'a'], false],
    [['a b'], [' a  b '], false],
    [null, ['a'], false],
    [[], null, false],
    [['a'], 'a', false],
    ['a', null, false],
    // Lists that were cut, with a hash of the whole.
    [['a', 'b', cut(1)], ['a', 'b', cut(2)], true],
    [['a', 'b', 'c', cut(1)], ['x', 'a', 'b', cut(2)], false],
    [['a', 'b', cut(1)], ['b', 'c', cut(2)], true],
    [['a', 'b'], ['x', 'a', cut(1)], false],
  ])('%j → %j: %j', (before, after, expected) => {
    expect(onField(loses, before, after)).toBe(expected)
  })

  const items = (count: number) => Array.from({ length: count }, (_, at) => `item ${at}`)
  test('a list that is no longer cut has lost what was behind the cut', () => {
    expect(onField(loses, [...items(999), cut(1)], items(1000))).toBe(true)
    const [before, after] = [
      { f: [...items(900), cut(1)], other: 'a'.repeat(255_000) },
      { f: items(901), other: '' },
    ]
    expect(firesOn(loses, before, after)).toBe(false)
  })

  test('items that a list lost when it was empty for a moment are not lost again', () => {
    const [before, after] = [{ f: [] }, { f: ['a'] }]
    const judged = { diff: diffValues(before, after, ['f']), before, after, lists: { f: ['a', 'b'] } }
    expect(fires(loses, judged, matchPattern)).toBe(false)
  })
})

describe('lines_added and lines_removed', () => {
  const added = (pattern?: string): DiffPredicate => ({ type: 'lines_added', field: 'f', ...(pattern && { pattern }) })
  const removed = (pattern?: string): DiffPredicate => ({ ...added(pattern), type: 'lines_removed' }) as DiffPredicate
  test.each<[before: Json, after: Json, isAdded: boolean, isRemoved: boolean]>([
    ['a\nb', 'a\nc\nb', true, false],
    ['a\nb', 'b', false, true],
    ['a\nb', 'a\nc', true, true],
    ['a', 'a\na', true, false],
    ['a\nb\nc', 'c\na\nb', false, false],
    ['a\r\nb', 'a\rc\u2028b', true, false],
    ['a', ' a \n\n \t', false, false],
    ['  a  1\nb', 'a 1\n   c', true, true],
    // A text is compared without regard to white space, so one whose lines are joined does not differ.
    ['a\nb', 'a b', false, false],
    [null, 'a', true, false],
    ['a', null, false, true],
    ['', 'a', true, false],
    [null, '', false, false],
    // The lines of a list are its items, and a scalar or an object is one line.
    [['a'], ['a', 'b\nc'], true, false],
    [['a', 'b'], ['b', 'a'], false, false],
    [['a', ''], ['a', null], false, false],
    [['a', { b: 1 }], ['a', { b: 2 }], true, true],
    [['a', 'b'], 'a', false, true],
    ['a\nb', ['b', 'a'], false, false],
    [1, 2, true, true],
    ['1', 1, false, false],
  ])('%j → %j: %j, %j', (before, after, isAdded, isRemoved) => {
    expect([onField(added(), before, after), onField(removed(), before, after)]).toEqual([isAdded, isRemoved])
  })

  test.each<[pattern: string, before: Json, after: Json, isAdded: boolean, isRemoved: boolean]>([
    ['^sale', 'a', 'a\nno\nsale: 5', true, false],
    ['^sale', 'sale: 5', 'sale: 5\nno', false, false],
    ['^sale', 'sale: 5\na', 'sale: 6\na', true, true],
    ['^sale$', 'a', 'a\n   sale  ', true, false],
    // Each line by itself, so that no pattern reaches into the next one.
    ['a.*b|a\\sb', 'x', 'x\na\nb', false, false],
    ['^b', ['a'], ['a', 'b'], true, false],
    ['"n":2', [], [{ n: 2 }], true, false],
    ['^$', 'a', 'b', false, false],
  ])('/%s/ on %j → %j: %j, %j', (pattern, before, after, isAdded, isRemoved) => {
    const found = [added(pattern), removed(pattern)].map((predicate) => onField(predicate, before, after))
    expect(found).toEqual([isAdded, isRemoved])
  })

  test.each<[what: string, before: Json, after: Json, isAdded: boolean, isRemoved: boolean]>([
    ['that changed behind the cut', `a\nb\nc${cut(1)}`, `a\nb\nc${cut(2)}`, true, true],
    ['whose cut moved', `a\nb\nc${cut(1)}`, `x\na\nb${cut(2)}`, true, false],
    ['that grew past the cut', 'a\nb', `a\n${cut(1)}`, true, false],
    ['that is no longer cut', `a\nb${cut(1)}`, 'a\nb', false, true],
    ['of one line, which is cut', null, `${'x'.repeat(100)}${cut(1)}`, true, false],
  ])('a text %s', (_what, before, after, isAdded, isRemoved) => {
    expect([onField(added(), before, after), onField(removed(), before, after)]).toEqual([isAdded, isRemoved])
    // Of what is behind a cut nothing is known.
    expect(onField(removed('y'), before, after)).toBe(false)
  })

  test('the beginning of a line that the cut went through is no line', () => {
    const [before, after] = ['a\nbbbb', `x\na\nbb${cut(1)}`]
    expect(onField(added('^x$'), before, after)).toBe(true)
    expect(onField(added('^bb'), before, after)).toBe(false)
  })

  test('a text that is cut because other fields left less room has gained nothing', () => {
    const long = 'a\n'.repeat(20_000)
    const after = (other: string) => ({ f: `${long.slice(0, 10_000)}${cut(1)}`, other })
    expect(firesOn(added(), { f: long, other: '' }, after('b'.repeat(250_000)))).toBe(false)
    expect(firesOn(added(), { f: long, other: '' }, after('b'.repeat(200_000)))).toBe(true)
  })

  test('items from before an empty reading are not added', () => {
    const [before, after] = [{ f: [] }, { f: ['b', 'a'] }]
    const judged = { diff: diffValues(before, after, ['f']), before, after, lists: { f: ['a', 'b'] } }
    expect(fires(added(), judged, matchPattern)).toBe(false)
  })

  test('are silent while another field changes', () => {
    expect(firesOn(added(), { f: 'a', other: 1 }, { f: 'a', other: 2 })).toBe(false)
    expect(firesOn(added('a'), { f: 'a', other: 1 }, { f: 'a', other: 2 })).toBe(false)
  })
})
