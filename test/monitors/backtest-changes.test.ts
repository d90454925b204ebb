import { expect, test } from 'vitest'
import { backtestChanges } from '../../monitors/backtest/backtest-changes.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { StoredChange } from '../../store/monitors/monitor-stored-runs.ts'

const CHANGES = Array.from({ length: 3 }, (_, at): StoredChange => ({
  id: `019de363-a5c8-7c11-8000-00000000000${at}`,
  start_offset_ms: 0,
  extracted: { value: 'b' },
  diff: { fields_changed: ['value'], before: { value: 'a' }, after: { value: 'b' } },
  fired: false,
  delivery_triggered: false,
  bytes: 100,
  text_before: null,
  text_after: null,
  found: 3,
}))
const PATTERNS: DiffPredicate = {
  type: 'composite',
  operator: 'OR',
  conditions: Array.from({ length: 20 }, (_, n) => ({ type: 'field_matches_regex', field: 'value', pattern: `${n}` })),
}

test('a backtest looks at its time before each pattern, and evaluates a change whole or not at all', async () => {
  let tried = 0
  const matches = async () => {
    const from = performance.now()
    while (performance.now() - from < 30);
    tried += 1
    return false
  }
  const ports = { patterns: { matches }, whose: { key: 'a team' }, budgetMs: 20 }
  expect(await backtestChanges(CHANGES, PATTERNS, ports)).toMatchObject({ runs: [], isCut: true })
  expect(tried).toBeLessThan(2)
})

test('no further pattern is tried when the signal has come', async () => {
  const leaving = new AbortController()
  let tried = 0
  const matches = async () => {
    tried += 1
    if (tried === 5) leaving.abort()
    return false
  }
  const ports = { patterns: { matches }, whose: { key: 'a team', signal: leaving.signal }, budgetMs: 600_000 }
  expect(await backtestChanges(CHANGES, PATTERNS, ports)).toMatchObject({ runs: [], isCut: true })
  expect(tried).toBe(5)
})

const ADDED: DiffPredicate = { type: 'lines_added', field: 'content_hash' }
const PAGES = CHANGES.map((change): StoredChange => ({
  ...change,
  extracted: { content_hash: 'b' },
  diff: { fields_changed: ['content_hash'], before: { content_hash: 'a' }, after: { content_hash: 'b' } },
}))
const NO_PATTERNS = { patterns: { matches: async () => false }, whose: { key: 'a team' } }

test('a backtest looks at its time before it compares the texts of a page', async () => {
  let read = 0
  const pageOf = async () => {
    read += 1
    const from = performance.now()
    while (performance.now() - from < 30);
    return { before: 'One', after: 'Two' }
  }
  const ports = { ...NO_PATTERNS, budgetMs: 20, pageOf }
  expect(await backtestChanges(PAGES, ADDED, ports)).toMatchObject({ runs: [{ fires: true }], isCut: true })
  expect(read).toBe(1)
})

test('a backtest warns of unknown texts where a page changed, and does not say which of both is unknown', async () => {
  const ports = { ...NO_PATTERNS, budgetMs: 600_000, pageOf: async () => ({ before: null, after: null }) }
  expect(await backtestChanges(CHANGES, ADDED, ports)).toMatchObject({ warnings: [] })
  const { runs, warnings } = await backtestChanges(PAGES, ADDED, ports)
  expect(runs.map(({ fires }) => fires)).toEqual([true, true, true])
  expect(warnings).toEqual([expect.stringContaining('text of the page or of the page before is not known')])
})
