import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutMark } from '../../../core/diff/cut-mark.ts'
import { diffLists } from '../../../core/diff/diff-lists.ts'
import type { Json } from '../../../schema/shape/json.ts'
import { processorMs } from '../../support/run/processor-ms.ts'

const NOTHING = { added: [], removed: [], moved: [] }
const letters = (text: string): readonly string[] => text.split('')

describe('the difference of two lists', () => {
  test.each<[before: string, after: string, added: string, removed: string, moved: string]>([
    ['abc', 'abc', '', '', ''],
    ['abc', 'xyabc', 'xy', '', ''],
    ['abc', 'axbc', 'x', '', ''],
    ['abc', 'ac', '', 'b', ''],
    ['abc', 'xab', 'x', 'c', ''],
    ['abc', 'cab', '', '', 'c'],
    ['abcd', 'bcda', '', '', 'a'],
    ['abcd', 'dcba', '', '', 'dcb'],
    ['', 'ab', 'ab', '', ''],
    ['ab', '', '', 'ab', ''],
    ['ab', 'xy', 'xy', 'ab', ''],
    ['aab', 'aaab', 'a', '', ''],
    ['aaab', 'aab', '', 'a', ''],
    ['abcde', 'exdab', 'x', 'c', 'ed'],
  ])('%s → %s: added %j, removed %j, moved %j', (before, after, added, removed, moved) => {
    expect(diffLists(letters(before), letters(after))).toEqual({
      added: letters(added),
      removed: letters(removed),
      moved: letters(moved),
    })
  })

  test('white space and the order of keys are no difference, a change of type is one', () => {
    expect(diffLists([' a  b\n', { x: 1, y: 2 }, 1], ['a b', { y: 2, x: 1 }, 1])).toEqual(NOTHING)
    expect(diffLists(['1', null, ''], [1, '', null])).toMatchObject({ added: [1], removed: ['1'] })
    expect(diffLists([{ a: [1] }], [{ a: [2] }])).toMatchObject({ added: [{ a: [2] }], removed: [{ a: [1] }] })
  })

  test('names of Object.prototype are items like others', () => {
    expect(diffLists(['constructor'], ['__proto__', 'constructor'])).toEqual({ ...NOTHING, added: ['__proto__'] })
  })

  test('the mark of a cut is no item, and what is pushed over the cut has not gone or come', () => {
    const mark = (of: number) => cutMark(String(of).repeat(64))
    expect(diffLists(['a', 'b', mark(1)], ['a', 'b', mark(2)])).toEqual(NOTHING)
    expect(diffLists(['a', 'b', 'c', mark(1)], ['x', 'a', 'b', mark(2)])).toEqual({ ...NOTHING, added: ['x'] })
    expect(diffLists(['a', 'b', 'c', mark(1)], ['b', 'c', 'd', mark(2)])).toEqual({ ...NOTHING, removed: ['a'] })
    expect(diffLists(['a', 'b', 'c'], ['x', 'a', 'b', mark(2)])).toEqual({ ...NOTHING, added: ['x'] })
    expect(diffLists(['a', mark(1)], ['b', mark(2)])).toEqual({ added: ['b'], removed: ['a'], moved: [] })
  })

  test('items that are all the same cost no more than items that differ', () => {
    const count = 131_000
    const same = Array.from({ length: count }, () => 'x')
    const other = Array.from({ length: count }, (_, at) => `${at}`)
    expect(diffLists(same, [...same, 'y'])).toEqual({ ...NOTHING, added: ['y'] })
    const cost = (list: readonly string[]) => processorMs(() => diffLists(list, [...list, 'y']))
    expect(cost(same)).toBeLessThan(3 * cost(other) + 25)
  })

  test('leads from one list to the other, and moves as few items as possible', () => {
    const list = fc.array(fc.constantFrom<Json>('a', 'b', 'c', 1, 2, null, true), { maxLength: 9 })
    fc.assert(
      fc.property(list, list, (before, after) => {
        const { added, removed, moved } = diffLists(before, after)
        const sorted = (items: readonly Json[]) => items.map((item) => JSON.stringify(item)).toSorted()
        expect(sorted([...before, ...added])).toEqual(sorted([...after, ...removed]))
        expect(diffLists(after, before)).toMatchObject({ added: removed, removed: added })
        expect(sorted(after)).toEqual(expect.arrayContaining(sorted(moved)))
      }),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4, 5, 6], { minLength: 6, maxLength: 6 }), (after) => {
        const { moved } = diffLists([1, 2, 3, 4, 5, 6], after)
        const stayed = after.filter((item) => !moved.includes(item))
        expect(stayed).toEqual(stayed.toSorted((a, b) => a - b))
        const subsets = Array.from({ length: 64 }, (_, bits) => after.filter((__, at) => (bits >> at) & 1))
        const ordered = subsets.filter((some) => some.every((item, at) => at === 0 || item > (some[at - 1] ?? 0)))
        expect(stayed).toHaveLength(Math.max(...ordered.map(({ length }) => length)))
      }),
      { numRuns: 200 },
    )
  })

  test('takes no long time for a thousand items that are all in another order', () => {
    const items = Array.from({ length: 1_000 }, (_, at) => `item ${at}`)
    const started = process.threadCpuUsage()
    expect(diffLists(items, items.toReversed()).moved).toHaveLength(999)
    expect(
      diffLists(
        items.map(() => 'same'),
        items.map(() => 'same'),
      ),
    ).toEqual(NOTHING)
    expect(process.threadCpuUsage(started).user).toBeLessThan(500_000)
  })
})
