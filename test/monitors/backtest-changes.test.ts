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
