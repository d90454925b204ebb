import { describe, expect, test } from 'vitest'
import { plottedSearch, searchChange, shownSearch } from '../../../core/overview/search-change.ts'
import { reading } from '../serp/readings.ts'

const RANKED = { target_domain: 'b.example' }
const LISTED = { target_domain: null }
const fieldOf = (...args: Parameters<typeof searchChange>) => searchChange(...args)?.fields[0] ?? null

describe('the change of a search', () => {
  test('is the rank, where that differs', () => {
    const before = reading(['a.example', 'b.example'])
    const moved = { field: 'rank', before: '#2', after: '#1', percent: null }
    expect(fieldOf(RANKED, before, reading(['b.example', 'a.example']))).toEqual(moved)
    expect(fieldOf(RANKED, before, reading(['a.example']))).toMatchObject({ before: '#2', after: 'not listed' })
  })

  test('is the results, where only they differ', () => {
    const before = reading(['a.example', 'b.example'])
    const after = reading(['c.example', 'b.example', 'd.example'])
    const differs = { field: 'results', before: '2 results', after: '3 results, 2 new, 1 gone', percent: null }
    expect(fieldOf(RANKED, before, after)).toEqual(differs)
    expect(fieldOf(LISTED, before, reading(['b.example', 'a.example']))).toMatchObject({
      after: '2 results, in another order or with other texts',
    })
  })

  test('is none without a baseline, of equal results, and of a guess', () => {
    const same = reading(['a.example'])
    expect(searchChange(RANKED, null, same)).toBeNull()
    expect(searchChange(RANKED, same, reading(['a.example']))).toBeNull()
    expect(searchChange(RANKED, same, reading(['b.example'], { isGuess: true }))).toBeNull()
  })

  test('compares only what both checks cover', () => {
    const full = reading(['a.example', 'b.example'], { pageEnds: [1, 2] })
    expect(searchChange(RANKED, full, reading(['a.example'], { isPartial: true }))).toBeNull()
  })
})

test('the value of a search is its rank, or the number of its results', () => {
  const found = { target: 'b.example', rank: 3, count: 10 }
  expect(shownSearch(found)).toEqual({ field: 'rank', text: '#3' })
  expect(shownSearch({ ...found, rank: null })).toEqual({ field: 'rank', text: 'not listed' })
  expect(shownSearch({ ...found, target: null })).toEqual({ field: 'results', text: '10 results' })
  expect(plottedSearch({ ...found, target: null })).toEqual({ field: 'results', number: 10 })
})
