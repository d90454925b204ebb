import { expect, test } from 'vitest'
import { backtestChanges } from '../../monitors/backtest/backtest-changes.ts'
import { createPatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import { startWatching, VALUE } from '../support/api/watching.ts'
import { shared } from '../support/run/shared.ts'

const watching = shared(() => startWatching())

const BELOW = { type: 'field_below', field: 'value', threshold: 500 } as const
const PRICES = ['$600', 'Sold out', 'Back soon', '$400', 'Sold out', '$300']
const FIRED = [false, false, true, false, false]

test('a price that is sold out while it falls below the threshold notifies once', async () => {
  const deliveries = [{ type: 'webhook', url: 'https://receiver.example/hook' }]
  const more = { extract_config: VALUE, diff_predicate: BELOW, deliveries }
  const page = await watching.watch({ value: PRICES[0] }, more)
  const fired: boolean[] = []
  for (const value of PRICES.slice(1)) {
    page.set({ value })
    fired.push((await page.run()).delivery_triggered)
  }
  expect(fired).toEqual(FIRED)
})

test('a backtest says the same of it', async () => {
  const patterns = createPatternMatcher()
  const changes = PRICES.slice(1).map((value, at) => ({
    id: `019de363-a5c8-7c11-8000-00000000000${at}`,
    start_offset_ms: 0,
    extracted: { value },
    diff: { fields_changed: ['value'], before: { value: PRICES[at] ?? null }, after: { value } },
    fired: false,
    delivery_triggered: false,
    bytes: 100,
    text_before: null,
    text_after: null,
    found: PRICES.length - 1,
  }))
  const { runs } = await backtestChanges(changes, BELOW, { patterns, whose: { key: 'a team' }, budgetMs: 10_000 })
  await patterns.close()
  expect(runs.map(({ fires }) => fires)).toEqual(FIRED)
})
