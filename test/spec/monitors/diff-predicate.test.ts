import { describe, expect, test } from 'vitest'
import { createMonitor, faultsOf } from '../../support/api/monitor-requests.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { refusals, titled } from '../../support/run/case-titles.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

const field = 'price'
const leaf = { type: 'field_changes', field }
const and = (...conditions: object[]): object => ({ type: 'composite', operator: 'AND', conditions })
const nested = (depth: number): object => (depth === 1 ? leaf : and(nested(depth - 1)))

describe('diff predicate: what may be saved', () => {
  test.each(
    titled<object>([
      { type: 'any_field_changes' },
      leaf,
      { type: 'field_increases_by_percent', field, threshold: 5 },
      { type: 'field_increases_by_percent', field, threshold: 0.001 },
      { type: 'field_decreases_by_percent', field, threshold: 100 },
      { type: 'field_increases_by_absolute', field, threshold: 0 },
      { type: 'field_decreases_by_absolute', field, threshold: -1.5 },
      { type: 'field_matches_regex', field, pattern: '^sold(?! out)' },
      { type: 'lines_added', field },
      { type: 'lines_removed', field, pattern: '^sold(?! out)' },
      { type: 'field_equals', field, value: '' },
      { type: 'field_equals', field, value: 0 },
      { type: 'field_equals', field, value: false },
      and(leaf),
      { type: 'composite', operator: 'OR', conditions: Array.from({ length: 25 }, () => leaf) },
      nested(4),
    ]),
  )('is discriminated by type; this one is taken: %s', async (_, diff_predicate) => {
    expect(await createMonitor(served.me, { diff_predicate })).toMatchObject({ diff_predicate })
  })

  test.each(
    refusals<object>([
      [{}, ['diff_predicate.type']],
      [{ type: 'changes' }, ['diff_predicate.type']],
      [{ type: 'field_changes' }, ['diff_predicate.field']],
      [{ type: 'field_changes', field: 7 }, ['diff_predicate.field']],
      [{ type: 'any_field_changes', field }, ['diff_predicate.field']],
      [{ type: 'field_increases_by_percent', field }, ['diff_predicate.threshold']],
      [{ type: 'field_increases_by_percent', field, threshold: 0 }, ['diff_predicate.threshold']],
      [{ type: 'field_decreases_by_percent', field, threshold: -5 }, ['diff_predicate.threshold']],
      [{ type: 'field_increases_by_absolute', field, threshold: '5' }, ['diff_predicate.threshold']],
      [{ type: 'field_matches_regex', field }, ['diff_predicate.pattern']],
      [{ type: 'field_matches_regex', field, pattern: '[a' }, ['diff_predicate.pattern']],
      [{ type: 'lines_added' }, ['diff_predicate.field']],
      [{ type: 'lines_added', field, pattern: '' }, ['diff_predicate.pattern']],
      [{ type: 'lines_removed', field, pattern: '[a' }, ['diff_predicate.pattern']],
      [{ type: 'lines_removed', field, threshold: 1 }, ['diff_predicate.threshold']],
      [{ type: 'list_loses_items', field }, ['diff_predicate.field']],
      [{ type: 'list_loses_items', field, pattern: 'a' }, ['diff_predicate.pattern']],
      [{ type: 'list_gains_unseen_items', field, threshold: 1 }, ['diff_predicate.threshold']],
      [{ type: 'field_equals', field }, ['diff_predicate.value']],
      [{ type: 'field_equals', field, value: null }, ['diff_predicate.value']],
      [{ type: 'field_equals', field, value: ['a'] }, ['diff_predicate.value']],
      [{ type: 'composite', conditions: [leaf] }, ['diff_predicate.operator']],
      [{ type: 'composite', operator: 'XOR', conditions: [leaf] }, ['diff_predicate.operator']],
      [{ type: 'composite', operator: 'AND' }, ['diff_predicate.conditions']],
      [and(), ['diff_predicate.conditions']],
      [and(...Array.from({ length: 26 }, () => leaf)), ['diff_predicate.conditions']],
      [
        and(leaf, and({ type: 'field_matches_regex', field, pattern: '(' })),
        ['diff_predicate.conditions[1].conditions[0].pattern'],
      ],
    ]),
  )('refuses %s', async (_, diff_predicate, paths) => {
    expect(await faultsOf(served.me, { diff_predicate })).toEqual(paths)
  })

  test('beyond the contract, a condition about items needs a list, one about lines takes a whole page', async () => {
    const list = { extract_config: { method: 'css', fields: { price: 'li[]' } } }
    await createMonitor(served.me, { ...list, diff_predicate: { type: 'list_loses_items', field } })
    const page = { extract_config: { method: 'full_page' } }
    const lines = { type: 'lines_added', field: 'content_hash' }
    await createMonitor(served.me, { ...page, diff_predicate: and(lines) })
    const items = { type: 'list_gains_items', field: 'content_hash' }
    expect(await faultsOf(served.me, { ...page, diff_predicate: and(items) })).toEqual([
      'diff_predicate.conditions[0].field',
    ])
  })

  test('predicates nest four deep and no deeper', async () => {
    const [path] = await faultsOf(served.me, { diff_predicate: nested(5) })
    expect(path).toMatch(/^diff_predicate\.conditions\[0\]\.conditions\[0\]\.conditions\[0\]/)
  })

  test.each([
    [{ method: 'css', fields: { stock: 'p' } }, 'stock', 'price'],
    [{ method: 'full_page' }, 'content_hash', 'price'],
    [{ method: 'prompt', prompt: 'What does it cost?' }, 'result', 'price'],
    [{ method: 'prompt', prompt: 'What does it cost?', schema: { price: 'number' } }, 'price', 'result'],
    [{ method: 'prompt', prompt: 'What does it cost?', schema: { properties: { cost: {} } } }, 'cost', 'properties'],
  ])(
    'predicates refer to fields by the names that extract_config gives: %j',
    async (extract_config, known, unknown) => {
      await createMonitor(served.me, { extract_config, diff_predicate: { type: 'field_changes', field: known } })
      const diff_predicate = and({ type: 'any_field_changes' }, { type: 'field_changes', field: unknown })
      expect(await faultsOf(served.me, { extract_config, diff_predicate })).toEqual([
        'diff_predicate.conditions[1].field',
      ])
    },
  )
})
