import { describe, expect, test } from 'vitest'
import { diffValues } from '../../../core/diff/diff-values.ts'
import { collectPatterns } from '../../../core/predicate/collect-patterns.ts'
import { explain } from '../../../core/predicate/explain.ts'
import { fires } from '../../../core/predicate/fires.ts'
import type { PatternQuestion } from '../../../core/predicate/pattern-question.ts'
import { matchPattern } from '../../../runners/pattern/match-pattern.ts'
import type { DiffPredicate } from '../../../schema/monitor/diff-predicate.ts'
import type { Values } from '../../../schema/shape/json.ts'

const judged = (before: Values, after: Values) => ({
  diff: diffValues(before, after, Object.keys(after)),
  before,
  after,
})

const PREDICATE: DiffPredicate = {
  type: 'composite',
  operator: 'OR',
  conditions: [
    { type: 'field_increases_by_percent', field: 'price', threshold: 5 },
    {
      type: 'composite',
      operator: 'AND',
      conditions: [
        { type: 'field_equals', field: 'stock', value: 'In stock' },
        { type: 'field_matches_regex', field: 'title', pattern: 'sale' },
      ],
    },
  ],
}

describe('explaining a predicate', () => {
  test.each([
    [['a'], ['c', 'b', 'a'], true, 'f gained 2 items'],
    [['a'], ['b', 'a'], true, 'f gained 1 item'],
    [['a', 'b'], ['b', 'a'], false, 'f gained no item'],
    [null, ['a'], true, 'f gained 1 item'],
  ])('counts what a list gained: %j → %j', (before, after, holds, why) => {
    const leaves = explain(
      { type: 'list_gains_items', field: 'f' },
      judged({ f: before }, { f: after }),
      matchPattern,
    ).leaves
    expect(leaves).toEqual([{ path: '', type: 'list_gains_items', field: 'f', holds, why }])
  })

  test('names each leaf by its path, and says what it saw', () => {
    const before = { price: '$100', stock: 'Out of stock', title: 'Lamp' }
    const after = { price: '$106.00', stock: 'In stock', title: 'Lamp' }
    expect(explain(PREDICATE, judged(before, after), matchPattern)).toEqual({
      fires: true,
      leaves: [
        {
          path: 'conditions[0]',
          type: 'field_increases_by_percent',
          field: 'price',
          holds: true,
          why: 'price rose from 100 to 106; a rise by 5 percent or more was asked for',
        },
        {
          path: 'conditions[1].conditions[0]',
          type: 'field_equals',
          field: 'stock',
          holds: true,
          why: 'stock is "In stock"; "In stock" was asked for',
        },
        {
          path: 'conditions[1].conditions[1]',
          type: 'field_matches_regex',
          field: 'title',
          holds: false,
          why: 'title is "Lamp"; a match of /sale/ was asked for',
        },
      ],
    })
  })

  test.each<[DiffPredicate, Values, Values, string]>([
    [{ type: 'any_field_changes' }, { a: 1, b: 1 }, { a: 2, b: 2 }, 'a, b changed'],
    [
      { type: 'any_field_changes' },
      {},
      { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 },
      'a, b, c, d, e and 2 more changed',
    ],
    [{ type: 'any_field_changes' }, { a: 1 }, { a: 1 }, 'nothing differs'],
    [{ type: 'field_changes', field: 'a' }, { a: 1, b: 1 }, { a: 1, b: 2 }, 'a did not change'],
    [{ type: 'field_equals', field: 'a', value: 2 }, { a: 1 }, { a: null }, 'a is missing; 2 was asked for'],
    [
      { type: 'field_below', field: 'a', threshold: 5 },
      { a: 6 },
      { a: 'sold out' },
      'a is "sold out", which is not a number; crossing 5 downwards was asked for',
    ],
    [
      { type: 'field_above', field: 'a', threshold: 5 },
      { a: null },
      { a: 6 },
      'a was missing, which is not a number; crossing 5 upwards was asked for',
    ],
    [{ type: 'list_loses_items', field: 'a' }, { a: ['x', 'y', 'z'] }, { a: ['z'] }, 'a lost 2 items'],
    [{ type: 'list_loses_items', field: 'a' }, { a: ['x'] }, { a: ['y', 'x'] }, 'a lost no item'],
    [
      { type: 'list_gains_unseen_items', field: 'a' },
      { a: ['x'] },
      { a: ['y', 'x'] },
      'a gained 1 item that it had never shown',
    ],
    [
      { type: 'list_gains_unseen_items', field: 'a', forget_after_days: 9 },
      { a: ['x', 'y'] },
      { a: ['y', 'x'] },
      'a gained no item that it had not shown for 9 days',
    ],
    [{ type: 'lines_added', field: 'a' }, { a: 'x' }, { a: 'x\ny' }, 'a gained 1 line'],
    [{ type: 'lines_removed', field: 'a' }, { a: 'x', b: 1 }, { a: 'x', b: 2 }, 'a lost no line'],
    [
      { type: 'lines_added', field: 'a', pattern: '^y' },
      { a: 'x' },
      { a: 'x\ny\nz' },
      'a gained 2 lines; one that matches /^y/ was asked for',
    ],
    [
      { type: 'field_decreases_by_absolute', field: 'a', threshold: 5 },
      { a: '1.0' },
      { a: '1.00' },
      'a stayed the same, from 1 to 1; a fall by 5 or more was asked for',
    ],
  ])('%j', (predicate, before, after, why) => {
    expect(explain(predicate, judged(before, after), matchPattern).leaves[0]?.why).toBe(why)
  })

  test('agrees with fires where nothing differs', () => {
    const same = judged({ price: 1 }, { price: 1 })
    expect(explain(PREDICATE, same, matchPattern)).toMatchObject({ fires: fires(PREDICATE, same, matchPattern) })
    expect(explain(PREDICATE, same, matchPattern).leaves.map(({ holds }) => holds)).toEqual([false, false, false])
  })

  test('long values are cut', () => {
    const predicate: DiffPredicate = { type: 'field_equals', field: 'a', value: 'x'.repeat(10_000) }
    const [leaf] = explain(predicate, judged({ a: 'y' }, { a: 'z'.repeat(10_000) }), matchPattern).leaves
    expect(leaf?.why.length).toBeLessThan(220)
  })
})

describe('collecting the patterns of a predicate', () => {
  const asks = (field: string, pattern: string): DiffPredicate => ({ type: 'field_matches_regex', field, pattern })

  test('asks each pattern of each text once, at every depth', () => {
    const predicate: DiffPredicate = {
      type: 'composite',
      operator: 'OR',
      conditions: [
        asks('a', 'x'),
        asks('a', 'x'),
        { type: 'composite', operator: 'AND', conditions: [asks('b', 'x'), asks('a', 'y')] },
      ],
    }
    expect(collectPatterns(predicate, judged({ a: 'none' }, { a: 'one', b: 2 }))).toEqual([
      { pattern: 'x', text: 'one' },
      { pattern: 'x', text: '2' },
      { pattern: 'y', text: 'one' },
    ])
  })

  test('asks nothing of a field that is missing', () => {
    expect(collectPatterns(asks('a', 'x'), judged({ b: 0 }, { b: 1 }))).toEqual([])
  })

  test('covers everything that fires and explain ask', () => {
    const before = { price: 1, stock: 'x', title: 'Lamp' }
    const after = { price: 1, stock: 'In stock', title: ['Lamp on sale'] }
    const lines: DiffPredicate = { type: 'lines_added', field: 'title', pattern: 'sale' }
    const predicate: DiffPredicate = { type: 'composite', operator: 'OR', conditions: [PREDICATE, lines] }
    const keyOf = ({ pattern, text, byLine }: PatternQuestion) => JSON.stringify([pattern, text, byLine === true])
    const known = new Set(collectPatterns(predicate, judged(before, after)).map(keyOf))
    expect(known.size).toBe(2)
    const asked = new Set<string>()
    const lookup = (question: PatternQuestion) => {
      if (!known.has(keyOf(question))) throw new Error('this was not collected')
      asked.add(keyOf(question))
      return false
    }
    expect(fires(predicate, judged(before, after), lookup)).toBe(false)
    expect(asked).toEqual(known)
    expect(explain(predicate, judged(before, after), lookup).fires).toBe(false)
  })
})
