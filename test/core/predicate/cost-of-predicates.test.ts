import { describe, expect, test } from 'vitest'
import { diffValues } from '../../../core/diff/diff-values.ts'
import { collectPatterns } from '../../../core/predicate/collect-patterns.ts'
import { explain } from '../../../core/predicate/explain.ts'
import { fires } from '../../../core/predicate/fires.ts'
import type { Leaf } from '../../../core/predicate/leaf.ts'
import { createPatternResults } from '../../../core/predicate/pattern-results.ts'
import { BACKTEST_REASONS } from '../../../schema/monitor/backtest.ts'
import { DiffPredicate, PREDICATE_CONDITIONS, PREDICATE_DEPTH } from '../../../schema/monitor/diff-predicate.ts'
import { VALUE_LIMITS } from '../../../schema/monitor/value-limits.ts'
import { VARIANTS } from '../../../schema/shape/shape.ts'
import { nodeOf } from '../../../schema/shape/walk-schema.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { processorMs } from '../../support/run/processor-ms.ts'

/** Judging may cost this many times what `JSON.parse` of predicate and readings costs, and what a clock can tell. */
const MAX_TIMES = 10
const UNMEASURED_MS = 25

const TEXT = 'text'
const LIST = 'list'
const LINES = 'lines'
const perItem = Math.floor(VALUE_LIMITS.resultBytes / 2 / VALUE_LIMITS.items) - 10
const items = (mark: string) =>
  Array.from({ length: VALUE_LIMITS.items }, (_, at) => `${mark}${at} `.padEnd(perItem, 'x'))
/** As many as a text may have, of which each is another one. */
const lines = (mark: string) => Array.from({ length: 9_000 }, (_, at) => `${mark}${at}`).join('\n')
/**
 * The largest readings, whose text has no number, and whose list lost one item and gained nothing: no condition decides
 * early.
 */
const readings = () => ({
  before: { [TEXT]: 'x'.repeat(VALUE_LIMITS.itemBytes), [LIST]: ['gone', ...items('a')], [LINES]: lines('a') },
  after: { [TEXT]: 'y'.repeat(VALUE_LIMITS.itemBytes), [LIST]: items('a').toReversed(), [LINES]: lines('b') },
})

const pattern = (at: number) => `${'p'.repeat(200)}${at}`
const threshold = (at: number) => at + 1
/** For each kind of condition, the dearest ones. A new kind has no row until somebody thought about its cost. */
const WORST: Readonly<Record<Leaf['type'], (at: number) => Leaf>> = {
  any_field_changes: () => ({ type: 'any_field_changes' }),
  field_changes: () => ({ type: 'field_changes', field: LIST }),
  field_increases_by_percent: (at) => ({ type: 'field_increases_by_percent', field: TEXT, threshold: threshold(at) }),
  field_decreases_by_percent: (at) => ({ type: 'field_decreases_by_percent', field: TEXT, threshold: threshold(at) }),
  field_increases_by_absolute: (at) => ({ type: 'field_increases_by_absolute', field: TEXT, threshold: threshold(at) }),
  field_decreases_by_absolute: (at) => ({ type: 'field_decreases_by_absolute', field: TEXT, threshold: threshold(at) }),
  field_above: (at) => ({ type: 'field_above', field: TEXT, threshold: threshold(at) }),
  field_below: (at) => ({ type: 'field_below', field: TEXT, threshold: threshold(at) }),
  list_gains_items: () => ({ type: 'list_gains_items', field: LIST }),
  list_loses_items: () => ({ type: 'list_loses_items', field: LIST }),
  list_gains_unseen_items: (at) => ({
    type: 'list_gains_unseen_items',
    field: LIST,
    forget_after_days: (at % 3650) + 1,
  }),
  lines_added: (at) => ({ type: 'lines_added', field: LINES, pattern: pattern(at) }),
  lines_removed: (at) => ({ type: 'lines_removed', field: LINES, pattern: pattern(at) }),
  field_matches_regex: (at) => ({ type: 'field_matches_regex', field: LIST, pattern: pattern(at) }),
  field_equals: (at) => ({ type: 'field_equals', field: LIST, value: at }),
}
/** Of these every condition holds, so that only AND looks at all of them. */
const HOLDING: readonly string[] = ['any_field_changes', 'field_changes', 'list_loses_items']

/** As many conditions as a predicate may have. */
function nested(leaf: (at: number) => Leaf, depth = 1, at = 0): DiffPredicate {
  if (depth === PREDICATE_DEPTH) return leaf(at)
  const conditions = Array.from({ length: PREDICATE_CONDITIONS }, (_, nth) =>
    nested(leaf, depth + 1, at * PREDICATE_CONDITIONS + nth),
  )
  return { type: 'composite', operator: HOLDING.includes(leaf(0).type) ? 'AND' : 'OR', conditions }
}

/** Judges once as a check does, and once as a backtest does. */
function judgeBoth(predicate: DiffPredicate): void {
  const { before, after } = readings()
  const judged = { diff: diffValues(before, after, [TEXT, LIST, LINES]), before, after }
  const tried = createPatternResults()
  fires(predicate, judged, tried.matches)
  for (const question of collectPatterns(predicate, judged)) tried.add(question, false)
  fires(predicate, judged, tried.matches)
  explain(predicate, judged, tried.matches, BACKTEST_REASONS)
}

describe('a predicate of as many conditions as it may have', () => {
  test('has a row for each kind of condition', () => {
    const kinds = Object.keys(nodeOf(DiffPredicate)[VARIANTS]?.variants ?? {})
    expect(kinds.toSorted()).toEqual([...Object.keys(WORST), 'composite'].toSorted())
  })

  test.each(Object.entries(WORST))('%s: judging it costs no more than a multiple of its parsing', (_type, leaf) => {
    const predicate = nested(leaf)
    expect(checkerOf(DiffPredicate).validate(predicate).ok).toBe(true)
    const texts = [predicate, readings()].map((value) => JSON.stringify(value))
    const parsing = processorMs(() => texts.forEach((text) => JSON.parse(text)))
    expect(processorMs(() => judgeBoth(predicate))).toBeLessThan(UNMEASURED_MS + MAX_TIMES * parsing)
  })
})
