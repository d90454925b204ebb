import { expect, test } from 'vitest'
import type { DiffPredicate } from '../../dashboard/src/api/types.ts'
import type { AnyMonitor } from '../../dashboard/src/monitor/any-monitor.ts'
import { conditionOf, inWords } from '../../dashboard/src/monitor/condition.ts'

const price = { field: 'price' }

test.each<[DiffPredicate, string]>([
  [{ type: 'any_field_changes' }, 'anything changes'],
  [{ type: 'field_changes', ...price }, 'price changes'],
  [{ type: 'field_changes', field: 'content_hash' }, 'the text of the page changes'],
  [{ type: 'field_increases_by_percent', ...price, threshold: 12.5 }, 'price rises by 12.5 % or more'],
  [{ type: 'field_decreases_by_percent', ...price, threshold: 5 }, 'price falls by 5 % or more'],
  [{ type: 'field_increases_by_absolute', ...price, threshold: 0 }, 'price rises'],
  [{ type: 'field_decreases_by_absolute', ...price, threshold: 1_000 }, 'price falls by 1,000 or more'],
  [{ type: 'field_above', ...price, threshold: -3 }, 'price rises above -3'],
  [{ type: 'field_below', ...price, threshold: 0.1 }, 'price falls below 0.1'],
  [{ type: 'list_gains_items', field: 'titles' }, 'titles gains an item'],
  [{ type: 'list_loses_items', field: 'titles' }, 'titles loses an item'],
  [{ type: 'list_gains_unseen_items', field: 'titles' }, 'titles gains an item that it never showed'],
  [
    { type: 'list_gains_unseen_items', field: 'titles', forget_after_days: 90 },
    'titles gains an item that it did not show for 90 days',
  ],
  [{ type: 'lines_added', field: 'terms' }, 'terms gains a line'],
  [{ type: 'lines_removed', field: 'terms', pattern: '^Free' }, 'terms loses a line that matches ^Free'],
  [{ type: 'field_matches_regex', field: 'stock', pattern: '^in' }, 'something changes while stock matches ^in'],
  [{ type: 'field_equals', field: 'stock', value: 'sold out' }, 'something changes while stock is “sold out”'],
  [{ type: 'field_equals', field: 'open', value: true }, 'something changes while open is true'],
])('%j is said in words', (predicate, words) => {
  expect(inWords(predicate)).toBe(words)
})

test('conditions are joined, and those within others stand in brackets', () => {
  const below = { type: 'field_below', ...price, threshold: 20 } as const
  const inStock = { type: 'field_equals', field: 'stock', value: 'in stock' } as const
  const either = { type: 'composite', operator: 'OR', conditions: [below, { type: 'any_field_changes' }] } as const
  expect(inWords({ type: 'composite', operator: 'AND', conditions: [either, inStock] })).toBe(
    '(price falls below 20 or anything changes) and stock is “in stock”',
  )
  expect(inWords({ type: 'composite', operator: 'AND', conditions: [below] })).toBe('price falls below 20')
})

const condition = (monitor: object) => conditionOf(monitor as AnyMonitor)

test('pictures that are compared are part of the condition', () => {
  const changes = { diff_predicate: { type: 'field_changes', field: 'price' } }
  expect(condition({ ...changes, visual_config: { enabled: true, thresholdPct: 2.5 } })).toBe(
    'price changes, or when 2.5 % of the picture or more changes',
  )
  expect(condition({ ...changes, visual_config: { enabled: false } })).toBe('price changes')
})

test.each([
  [{ mode: 'full_analysis', target_domain: null }, 'the list of results changes'],
  [{ mode: 'rank_tracking', target_domain: 'a.example' }, 'a.example enters or leaves the results'],
  [
    { mode: 'rank_tracking', target_domain: 'a.example', rank_change_threshold: 3 },
    'a.example enters or leaves the results, or moves by 3 places or more',
  ],
  [{ mode: 'rank_tracking', target_domain: null }, 'a site to look for is given: until then, never'],
])('a search of %j', (search, words) => {
  expect(condition(search)).toBe(words)
})
