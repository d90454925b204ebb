import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffValues } from '../../../core/diff/diff-values.ts'
import { fires, lastNumbers, type Truth } from '../../../core/predicate/fires.ts'
import { matchPattern } from '../../../runners/pattern/match-pattern.ts'
import type { DiffPredicate } from '../../../schema/monitor/diff-predicate.ts'
import type { Json, Values } from '../../../schema/shape/json.ts'
import { firesOn, onField } from './fires-on.ts'

type Moving = Extract<DiffPredicate, { threshold: number }>['type']
const moving = (type: Moving, threshold: number): DiffPredicate => ({ type, field: 'f', threshold })

describe('any_field_changes and field_changes', () => {
  test('any_field_changes fires when any field differs', () => {
    expect(firesOn({ type: 'any_field_changes' }, { a: 1, b: 1 }, { a: 1, b: 2 })).toBe(true)
    expect(firesOn({ type: 'any_field_changes' }, { a: 1 }, { a: 1 })).toBe(false)
  })

  test('field_changes fires when that field differs, and not when another does', () => {
    const predicate: DiffPredicate = { type: 'field_changes', field: 'a' }
    expect(firesOn(predicate, { a: 1, b: 1 }, { a: 2, b: 1 })).toBe(true)
    expect(firesOn(predicate, { a: 1, b: 1 }, { a: 1, b: 2 })).toBe(false)
  })

  test('a value that appears or vanishes is a change', () => {
    expect(onField({ type: 'field_changes', field: 'f' }, null, 'x')).toBe(true)
    expect(onField({ type: 'field_changes', field: 'f' }, 'x', null)).toBe(true)
  })
})

/** Predicate, threshold, before, after, whether it fires. */
const MOVEMENTS: readonly (readonly [Moving, number, Json, Json, boolean])[] = [
  ['field_increases_by_percent', 5, 100, 105, true],
  ['field_increases_by_percent', 5, 100, 104.99999999999999, false],
  ['field_increases_by_percent', 5, 100, 95, false],
  ['field_increases_by_percent', 10, 0.1, 0.11, true],
  ['field_increases_by_percent', 0.1, 1000, 1001, true],
  ['field_increases_by_percent', 5, 0, 100, false],
  ['field_increases_by_percent', 50, -10, -5, true],
  ['field_increases_by_percent', 50.1, -10, -5, false],
  ['field_increases_by_percent', 100, -10, 10, true],
  ['field_increases_by_percent', 5, '$1,299.00', '$1,363.95', true],
  ['field_increases_by_percent', 5, '1.299,00 €', '1.363,94 €', false],
  ['field_increases_by_percent', 100, '5%', '10%', true],
  ['field_increases_by_percent', 5, 'sold out', '$5', false],
  ['field_increases_by_percent', 5, null, 5, false],
  ['field_increases_by_percent', 5, 5, null, false],
  ['field_increases_by_percent', 5, [100], [105], true],
  ['field_increases_by_percent', 5, 100, ['105'], true],
  ['field_increases_by_percent', 5, [100, 1], [105, 1], false],
  ['field_increases_by_percent', -50, 10, 9, false],
  ['field_decreases_by_percent', -50, 10, 11, false],
  ['field_decreases_by_percent', 5, 100, 95, true],
  ['field_decreases_by_percent', 5, 100, 95.00000000000001, false],
  ['field_decreases_by_percent', 100, 5, 0, true],
  ['field_decreases_by_percent', 5, 0, -5, false],
  ['field_decreases_by_percent', 50, -10, -15, true],
  ['field_increases_by_absolute', 0.2, 0.1, 0.3, true],
  ['field_increases_by_absolute', 0.2, '0.1', '0.30', true],
  ['field_increases_by_absolute', 0.2, 0.1, 0.2999999999999999, false],
  ['field_increases_by_absolute', 0, 1, 1.0000001, true],
  ['field_increases_by_absolute', 0, 1, '1.0', false],
  ['field_increases_by_absolute', -5, 10, 8, false],
  ['field_increases_by_absolute', -5, 10, 10.5, true],
  ['field_increases_by_absolute', 5, 0, 5, true],
  ['field_increases_by_absolute', 5, '-2 °C', '3 °C', true],
  ['field_increases_by_absolute', 1000, '999', '1.999k', true],
  ['field_decreases_by_absolute', 5, 10, 5, true],
  ['field_decreases_by_absolute', 5, 10, 5.1, false],
  ['field_decreases_by_absolute', 0, 10, 10.1, false],
  ['field_decreases_by_absolute', -5, 10, 12, false],
  ['field_above', 100, 99, 101, true],
  ['field_above', 100, 100, 100.01, true],
  ['field_above', 100, 99, 100, false],
  ['field_above', 100, 101, 102, false],
  ['field_above', 100, null, 101, false],
  ['field_above', 100, 'n/a', 101, false],
  ['field_above', -3, '−3,2 %', '-2.9%', true],
  ['field_below', 100, 101, 99, true],
  ['field_below', 100, 100, 99.99, true],
  ['field_below', 100, 101, 100, false],
  ['field_below', 100, 99, 98, false],
  ['field_below', 100, 101, null, false],
]

describe('movements of a number', () => {
  test.each(MOVEMENTS)('%s %d on %j → %j: %j', (type, threshold, ...[before, after, expected]) => {
    expect(onField(moving(type, threshold), before, after)).toBe(expected)
  })

  test('a field that did not change has not moved when another field did', () => {
    expect(firesOn(moving('field_increases_by_absolute', 0), { f: 1, other: 1 }, { f: 1, other: 2 })).toBe(false)
  })

  test('text that differs in white space only has not moved, though it is read otherwise', () => {
    const before = { f: '1\n299', other: 1 }
    expect(firesOn(moving('field_increases_by_absolute', 1), before, { f: '1 299', other: 2 })).toBe(false)
  })

  test('is exact on whole cents, as integers judge them', () => {
    const cents = fc.integer({ min: -1_000_000, max: 1_000_000 })
    fc.assert(
      fc.property(cents, cents, fc.integer({ min: 1, max: 500 }), (before, after, percent) => {
        const [from, to] = [before / 100, after / 100]
        const rose = after > before && before !== 0 && (after - before) * 100 >= percent * Math.abs(before)
        const fell = after < before && before !== 0 && (before - after) * 100 >= percent * Math.abs(before)
        expect(onField(moving('field_increases_by_percent', percent), from, to)).toBe(rose)
        expect(onField(moving('field_decreases_by_percent', percent), from, to)).toBe(fell)
        expect(onField(moving('field_increases_by_absolute', percent / 100), from, to)).toBe(
          after > before && after - before >= percent,
        )
        expect(onField(moving('field_above', percent), from, to)).toBe(before <= percent * 100 && after > percent * 100)
      }),
      { numRuns: 500 },
    )
  })
})

/** Literal, new value, whether it fires. */
const EQUALS: readonly (readonly [string | number | boolean, Json, boolean])[] = [
  ['In stock', 'In stock', true],
  ['In stock', 'in stock', false],
  ['In stock', ' In stock', false],
  [true, true, true],
  [true, 'true', false],
  ['true', true, false],
  [5, 5, true],
  [5, '5', false],
  ['5', 5, false],
  [1, JSON.parse('1.0') as Json, true],
  [0, false, false],
  ['', null, false],
  [0, null, false],
  ['a', ['a'], true],
  ['a', ['a', 'b'], false],
  ['a', [['a']], false],
]

describe('field_equals', () => {
  test.each(EQUALS)('%j on a new value of %j: %j', (value, after, expected) => {
    expect(onField({ type: 'field_equals', field: 'f', value }, 'something else', after)).toBe(expected)
  })

  test('looks at the new value also when only another field changed', () => {
    const predicate: DiffPredicate = { type: 'field_equals', field: 'f', value: 1 }
    expect(firesOn(predicate, { f: 1, other: 1 }, { f: 1, other: 2 })).toBe(true)
  })

  test('does not fire while nothing differs, equal or not', () => {
    expect(onField({ type: 'field_equals', field: 'f', value: 1 }, 1, 1)).toBe(false)
  })
})

/** Pattern, new value, whether it fires. */
const PATTERNS: readonly (readonly [string, Json, boolean])[] = [
  ['^In', 'In stock', true],
  ['^in', 'In stock', false],
  ['^(?i:in)', 'In stock', true],
  ['^\\d+$', 5, true],
  ['true', true, true],
  ['null', null, false],
  ['', null, false],
  ['"a":1', { a: 1 }, true],
  ['^\\[1,2\\]$', [1, 2], true],
  ['^b$', ['b'], true],
  ['(?<=€)5', '€5', true],
]

describe('field_matches_regex', () => {
  test.each(PATTERNS)('/%s/ on a new value of %j: %j', (pattern, after, expected) => {
    expect(onField({ type: 'field_matches_regex', field: 'f', pattern }, 'before', after)).toBe(expected)
  })
})

describe('composites', () => {
  const yes: DiffPredicate = { type: 'any_field_changes' }
  const no: DiffPredicate = { type: 'field_changes', field: 'missing' }
  const composite = (operator: 'AND' | 'OR', ...conditions: DiffPredicate[]): DiffPredicate => ({
    type: 'composite',
    operator,
    conditions,
  })

  test.each([
    ['AND', [yes, yes], true],
    ['AND', [yes, no], false],
    ['AND', [no], false],
    ['OR', [no, yes], true],
    ['OR', [no, no], false],
    ['OR', [composite('AND', yes, composite('OR', no, yes)), no], true],
    ['AND', [composite('OR', yes, no), composite('AND', yes, no)], false],
  ] as const)('%s of %j: %j', (operator, conditions, expected) => {
    expect(onField(composite(operator, ...conditions), 1, 2)).toBe(expected)
  })

  test('are judged as logic has it, however they are nested', () => {
    const trees = fc.letrec<{ tree: [DiffPredicate, boolean] }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.boolean().map((holds): [DiffPredicate, boolean] => [holds ? yes : no, holds]),
        fc
          .tuple(fc.boolean(), fc.array(tie('tree'), { minLength: 1, maxLength: 4 }))
          .map(([isAll, parts]): [DiffPredicate, boolean] => {
            const holds = parts.map(([, part]) => part)
            return [
              composite(isAll ? 'AND' : 'OR', ...parts.map(([predicate]) => predicate)),
              isAll ? !holds.includes(false) : holds.includes(true),
            ]
          }),
      ),
    })).tree
    fc.assert(fc.property(trees, ([predicate, holds]) => onField(predicate, 1, 2) === holds))
  })
})

describe('a pattern that did not come to an end', () => {
  const asks = (pattern: string): DiffPredicate => ({ type: 'field_matches_regex', field: 'f', pattern })
  const judge = (predicate: DiffPredicate, known: (pattern: string) => Truth) => {
    const [before, after] = [{ f: 'x' }, { f: 'y' }]
    return fires(predicate, { diff: diffValues(before, after, ['f']), before, after }, ({ pattern }) => known(pattern))
  }
  const TRUTHS = [true, false, 'unknown'] as const

  test.each([
    ['OR', ['unknown', true], true],
    ['OR', ['unknown', false], 'unknown'],
    ['AND', ['unknown', true], 'unknown'],
    ['AND', ['unknown', false], false],
  ] as const)('%s of %j is %j', (operator, truths, expected) => {
    const conditions = truths.map((truth) => asks(String(truth)))
    const known = (pattern: string) => TRUTHS.find((truth) => String(truth) === pattern) ?? false
    for (const parts of [conditions, conditions.toReversed()])
      expect(judge({ type: 'composite', operator, conditions: parts }, known)).toBe(expected)
  })

  test('leaves the outcome unknown exactly when it could be either', () => {
    const names = ['a', 'b', 'c'] as const
    const trees = fc.letrec<{ tree: DiffPredicate }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(...names, 'true', 'false').map(asks),
        fc.record({
          type: fc.constant('composite' as const),
          operator: fc.constantFrom('AND' as const, 'OR' as const),
          conditions: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
        }),
      ),
    })).tree
    const leaves = (tree: DiffPredicate): string[] =>
      tree.type === 'composite' ? tree.conditions.flatMap(leaves) : 'pattern' in tree ? [tree.pattern] : []
    /** Each name once: the same question twice is not either of both, but the same. */
    const isPlain = (tree: DiffPredicate) =>
      names.every((name) => leaves(tree).filter((leaf) => leaf === name).length <= 1)
    fc.assert(
      fc.property(trees.filter(isPlain), (tree) => {
        const outcomes = new Set<Truth>()
        for (let bits = 0; bits < 8; bits += 1)
          outcomes.add(judge(tree, (name) => name === 'true' || (bits & (1 << 'abc'.indexOf(name))) > 0))
        const [only] = outcomes
        const expected = outcomes.size === 2 ? 'unknown' : only
        expect(judge(tree, (name) => (name.length === 1 ? 'unknown' : name === 'true'))).toBe(expected)
      }),
    )
  })
})

test('no predicate fires where nothing differs', () => {
  const types = fc.constantFrom<DiffPredicate>(
    { type: 'any_field_changes' },
    { type: 'field_changes', field: 'f' },
    { type: 'field_equals', field: 'f', value: 'x' },
    { type: 'field_matches_regex', field: 'f', pattern: '' },
    moving('field_increases_by_absolute', -1),
    moving('field_above', -1),
  )
  fc.assert(fc.property(types, (predicate) => !onField(predicate, 'x', ' x ')))
})

test('a field named like something of Object.prototype is missing unless the reading has it', () => {
  const predicate: DiffPredicate = { type: 'field_matches_regex', field: 'constructor', pattern: '' }
  expect(firesOn(predicate, { a: 1 }, { a: 2 })).toBe(false)
})

describe('a crossing', () => {
  const below = moving('field_below', 500)
  /** The outcome of each reading after the first, as runs judge them. */
  const outcomes = (predicate: DiffPredicate, ...readings: Json[]) => {
    let lists: Values | null = null
    return readings.slice(1).map((value, at) => {
      const [before, after] = [{ f: readings[at] ?? null }, { f: value }]
      const fired = fires(predicate, { diff: diffValues(before, after, ['f']), before, after, lists }, matchPattern)
      lists = lastNumbers(predicate, { before, after, lists })
      return fired
    })
  }

  test('passes over readings that have no number', () => {
    expect(outcomes(below, '$600', 'Sold out', null, '$400', '$300')).toEqual([false, false, true, false])
    expect(outcomes(moving('field_above', 500), '$400', null, '$600')).toEqual([false, true])
    const either: DiffPredicate = { type: 'composite', operator: 'OR', conditions: [below, moving('field_above', 900)] }
    expect(outcomes(either, '$600', null, '$400', null, '$950')).toEqual([false, true, false, true])
  })

  test('is not there where the last number was on the same side, or where there was none', () => {
    expect(outcomes(below, '$400', 'Sold out', '$400', null, '$300')).toEqual([false, false, false, false])
    expect(outcomes(below, null, '$400', '$300')).toEqual([false, false])
  })

  test('is the only movement that passes over them', () => {
    expect(outcomes(moving('field_decreases_by_absolute', 5), '$600', null, '$400')).toEqual([false, false])
  })
})
