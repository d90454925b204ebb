import { expect, test } from 'vitest'
import { engineActs, serpCheckOf, sourceOf } from '../../../core/serp/ended-search.ts'
import type { EngineFailure, SearchReading } from '../../../schema/serp/search-reading.ts'
import { listOf } from './readings.ts'

const found = (more: Partial<SearchReading> = {}): SearchReading => ({
  outcome: 'ok',
  results: listOf('a.example', 'b.example'),
  page_ends: [1, 2],
  is_end: false,
  is_guess: false,
  ai_overview: null,
  featured_snippet: null,
  cut_by: null,
  country: 'exact',
  marker: '2 results',
  warnings: [],
  ...more,
})
const engine = (outcome: EngineFailure['outcome']): EngineFailure => ({
  outcome,
  country: 'approximate',
  marker: 'what decided',
})

test.each([
  ['results', { kind: 'search', search: found() }, { refused: false, healthy: true }],
  ['a refused later page', { kind: 'search', search: found({ cut_by: 'blocked' }) }, { refused: true, healthy: false }],
  ['a failed later page', { kind: 'search', search: found({ cut_by: 'failed' }) }, { refused: false, healthy: true }],
  ['a refusal', { kind: 'failed', engine: engine('blocked') }, { refused: true, healthy: false }],
  ['a pause', { kind: 'failed', engine: engine('left_alone') }, { refused: false, healthy: false }],
  ['a check that never asked', { kind: 'failed' }, { refused: false, healthy: false }],
  [
    'a provider after a refusal',
    { kind: 'search', search: found(), engine: engine('blocked') },
    { refused: true, healthy: false },
  ],
  [
    'a provider within a pause',
    { kind: 'search', search: found(), engine: engine('left_alone') },
    { refused: false, healthy: false },
  ],
] as const)('%s says of the engine itself what it did', (_, ended, acts) => {
  expect(engineActs(ended)).toEqual(acts)
})

test('results are those of the provider only where the engine says what it did before', () => {
  expect(sourceOf({})).toBe('engine')
  expect(sourceOf({ engine: engine('blocked') })).toBe('provider')
})

test('a run says how its search went, with results and without', () => {
  expect(serpCheckOf({ kind: 'search', search: found({ cut_by: 'unparsed' }) }, 1_200)).toEqual({
    outcome: 'ok',
    source: 'engine',
    pages: 2,
    cut_by: 'unparsed',
    is_guess: false,
    country: 'exact',
    late_ms: 1_200,
    marker: '2 results',
  })
  const nothing = { source: null, pages: 0, cut_by: null, is_guess: false, country: 'approximate', late_ms: null }
  expect(serpCheckOf({ kind: 'failed', engine: engine('unparsed') }, null)).toEqual({
    ...nothing,
    outcome: 'unparsed',
    marker: 'what decided',
  })
  expect(serpCheckOf({ kind: 'failed' }, null)).toEqual({ ...nothing, outcome: 'failed', marker: '' })
})
