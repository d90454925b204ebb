import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { createPatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import type { DiffPredicate } from '../../../schema/monitor/diff-predicate.ts'
import { startWatching, VALUE } from '../../support/api/watching.ts'
import { shared } from '../../support/run/shared.ts'

const patterns = createPatternMatcher()
afterAll(() => patterns.close())
const watching = shared(() => startWatching({ patterns }))

const field = fc.constantFrom('value', 'other')
const threshold = fc.constantFrom(1, 5, 10, 100)
const leaf: fc.Arbitrary<DiffPredicate> = fc.oneof(
  fc.constant({ type: 'any_field_changes' } as const),
  fc.record({ type: fc.constantFrom('field_changes', 'list_gains_items', 'list_loses_items'), field }),
  fc.record({ type: fc.constant('list_gains_unseen_items'), field }),
  fc.record({ type: fc.constantFrom('lines_added', 'lines_removed'), field }),
  fc.record({
    type: fc.constantFrom(
      'field_increases_by_percent',
      'field_decreases_by_percent',
      'field_increases_by_absolute',
      'field_decreases_by_absolute',
      'field_above',
      'field_below',
    ),
    field,
    threshold,
  }),
  fc.record({
    type: fc.constantFrom('field_matches_regex', 'lines_added', 'lines_removed'),
    field,
    pattern: fc.constantFrom('1', '^a', 'b$', '^(a|b)+$'),
  }),
  fc.record({ type: fc.constant('field_equals' as const), field, value: fc.constantFrom('a', 5, 10, true) }),
)
const group = (inner: fc.Arbitrary<DiffPredicate>): fc.Arbitrary<DiffPredicate> =>
  fc.oneof(
    inner,
    fc.record({
      type: fc.constant('composite' as const),
      operator: fc.constantFrom('AND', 'OR'),
      conditions: fc.array(inner, { minLength: 1, maxLength: 3 }),
    }),
  )
const predicate = group(group(group(leaf)))
const value = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'ab',
    5,
    10,
    11,
    100,
    true,
    null,
    '$5.00',
    '1.299,00 €',
    'Sold out',
    ' a  b',
    'a\nb',
    '\u{1f600}',
  ),
  fc.array(fc.constantFrom('a', 'b', 1, null), { maxLength: 3 }),
  fc.constantFrom({ a: 1 }, { a: [1, 'b'] }),
)
const reading = fc.record({ value, other: value })
const cases = fc.sample(fc.record({ predicate, first: reading, second: reading }), { numRuns: 30, seed: 32 })

test('a trial decides as the run of the same values does, and shows the same difference', async () => {
  const runs = await Promise.all(
    cases.map(async ({ predicate: diff_predicate, first, second }) => {
      const page = await watching.watch(first, { diff_predicate })
      page.set(second)
      const run = await page.run()
      expect(run).toMatchObject({ status: 'success' })
      return { run, values: { before: page.baseline.extracted, after: run.extracted }, diff_predicate }
    }),
  )
  for (const { run, values, diff_predicate } of runs) {
    const body = { diff_predicate, extract_config: VALUE, ...values }
    const { body: trial } = await watching.served.me.post('/v1/predicates/try', body)
    expect(trial, JSON.stringify(body)).toMatchObject({ fires: run.fired, diff: run.diff })
  }
  const fired = runs.filter(({ run }) => run.fired === true).length
  // Otherwise nothing was compared.
  expect(fired).toBeGreaterThan(5)
  expect(fired).toBeLessThan(cases.length - 5)
})

test('a trial says of a pattern that takes too long what the run would say', async () => {
  const diff_predicate = { type: 'field_matches_regex', field: 'value', pattern: '^(a+)+$' }
  const [before, after] = [{ value: 'a' }, { value: `${'a'.repeat(40)}!` }]
  const page = await watching.watch(before, { diff_predicate })
  page.set(after)
  const { error_message: why, status } = await page.run()
  expect(status).toBe('error')
  const { body: trial } = await watching.served.me.post('/v1/predicates/try', { diff_predicate, before, after })
  expect(trial).toMatchObject({ fires: null, why, conditions: [{ holds: null }] })
})
