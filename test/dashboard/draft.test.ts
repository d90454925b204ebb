import { describe, expect, test } from 'vitest'
import type { ExtractConfig, Look } from '../../dashboard/src/api/types.ts'
import { choicesFor, leafOf, linesOf } from '../../dashboard/src/new/draft/conditions.ts'
import { bodyOf, draftOf, withPreset } from '../../dashboard/src/new/draft/draft-body.ts'
import {
  type ChosenRule,
  type Draft,
  EMPTY,
  ofKind,
  withChosen,
  withField,
  withFieldName,
  withLanguage,
  withoutField,
  withTypedRule,
} from '../../dashboard/src/new/draft/draft.ts'
import { PAGING_TYPES, pagingKeys, pagingOf, withPagingValue } from '../../dashboard/src/new/draft/paging.ts'
import { withPicked } from '../../dashboard/src/new/draft/picked.ts'
import { TREATMENTS, treatmentOf } from '../../dashboard/src/new/draft/treatments.ts'
import { createFamily } from '../../dashboard/src/new/page/family.ts'
import { createHits } from '../../dashboard/src/new/page/hits.ts'
import { openAtFirst, treeRows } from '../../dashboard/src/new/page/tree-rows.ts'
import { Pagination } from '../../schema/monitor/request-config.ts'
import { checkerOf } from '../../schema/validation/validate.ts'

const PRICE: ChosenRule = { method: 'css', rule: '[itemprop="price"]', value: '$19.99' }
const ITEMS: ChosenRule = { method: 'css', rule: '.item[]', value: 'Cup' }
const of = (draft: Draft) => bodyOf(draft, { suggestedName: 'Kettle', needsBrowser: false })

describe('a draft of a monitor', () => {
  test('names a value after its rule, until a person names it, and conditions follow', () => {
    const priced = withChosen(EMPTY, PRICE)
    expect(of(priced)).toMatchObject({ name: 'Kettle', extract_config: { fields: { price: PRICE.rule } } })
    const named: Draft = {
      ...withFieldName(priced, 0, 'cost'),
      predicate: { type: 'field_below', field: 'cost', threshold: 9 },
    }
    expect(of(withFieldName(named, 0, 'sum')).diff_predicate).toEqual({
      type: 'field_below',
      field: 'sum',
      threshold: 9,
    })
    expect(of(withChosen(named, { ...PRICE, rule: '.total' })).extract_config).toMatchObject({
      fields: { cost: '.total' },
    })
  })

  test('has the rule of what was pressed, unless another one was typed since', () => {
    const { rule, value } = PRICE
    const [method, reason] = ['css', ''] as const
    const first = {
      method,
      rule,
      value,
      reason,
      matches: 1,
      fragile: false,
      attribute: null,
      fetched: null,
    } as const
    const found = { values: [first], attributes: [], lists: [] }
    const pressed = { purpose: 'value', draft: EMPTY } as const
    expect(withPicked({ ...EMPTY, name: 'Mine' }, found, pressed)).toMatchObject({ name: 'Mine', fields: [{ rule }] })
    const typed = withTypedRule(EMPTY, '.price')
    expect(withPicked(typed, found, pressed)).toBe(typed)
    expect(withPicked(typed, found, { ...pressed, purpose: 'ignore' })).toMatchObject({ ignore: [rule] })
  })

  test('gives a list a condition of lists, unless a person chose one that fits it', () => {
    const changes = { type: 'field_changes', field: 'value' } as const
    expect(of(withChosen({ ...EMPTY, predicate: changes }, ITEMS)).diff_predicate).toMatchObject({
      type: 'list_gains_items',
    })
    const own: Draft = { ...EMPTY, predicate: changes, isOwnCondition: true }
    expect(of(withChosen(own, ITEMS)).diff_predicate).toMatchObject({ type: 'field_changes' })
    const below: Draft = {
      ...EMPTY,
      predicate: { type: 'field_below', field: 'value', threshold: 1 },
      isOwnCondition: true,
    }
    expect(of(withChosen(below, ITEMS)).diff_predicate).toMatchObject({ type: 'list_gains_items', field: 'items' })
  })

  test('offers the conditions that fit a value, and keeps a pattern from one to the next', () => {
    const offered = (kind: Parameters<typeof choicesFor>[0]) =>
      choicesFor(kind, 'any_field_changes').map(([one]) => one)
    expect(offered('text')).toEqual(expect.arrayContaining(['field_matches_regex', 'lines_added', 'lines_removed']))
    expect(offered('list')).toEqual(expect.arrayContaining(['list_gains_items', 'list_loses_items', 'lines_added']))
    expect(offered('number')).not.toContain('lines_added')
    // A whole page has lines, and is no number, list or text.
    expect(offered('page')).toEqual(['any_field_changes', 'field_changes', 'lines_added', 'lines_removed'])

    const matches = leafOf('field_matches_regex', 'terms', { type: 'any_field_changes' })
    expect(leafOf('lines_added', 'terms', matches)).toEqual({ type: 'lines_added', field: 'terms' })
    const sale = { type: 'lines_added', field: 'terms', pattern: 'sale' } as const
    expect(leafOf('lines_removed', 'terms', sale)).toEqual({ ...sale, type: 'lines_removed' })
    expect(leafOf('field_matches_regex', 'terms', { type: 'lines_added', field: 'terms' })).toEqual(matches)
    expect(linesOf('lines_added', 'terms', '')).toEqual({ type: 'lines_added', field: 'terms' })
  })

  test('keeps its fields while the whole page is chosen, and its others when one is removed', () => {
    const two = withChosen(withField(withChosen(EMPTY, PRICE)), { ...PRICE, rule: '.stock', value: '7' })
    expect(of(two).extract_config).toEqual({ method: 'css', fields: { price: PRICE.rule, stock: '.stock' } })
    const whole = ofKind(two, 'full_page')
    expect(of(whole).extract_config).toEqual({ method: 'full_page' })
    expect(of({ ...whole, kind: 'fields' }).extract_config).toEqual(of(two).extract_config)
    const about: Draft = { ...two, predicate: { type: 'field_changes', field: 'price' } }
    expect(of(withoutField(about, 0))).toMatchObject({
      extract_config: { fields: { stock: '.stock' } },
      diff_predicate: { type: 'field_changes', field: 'stock' },
    })
    // One language for all fields: a rule of another one begins again.
    const json = withChosen(two, { method: 'json_path', rule: '$.a', value: '1', name: 'a' })
    expect(of(json).extract_config).toEqual({ method: 'json_path', fields: { a: '$.a' } })
  })
})

describe('a draft of structured data', () => {
  const config: ExtractConfig = {
    method: 'json_path',
    read_as: 'structured_data',
    fields: { price: '$.product.price' },
  }
  const preset = { extract_config: config, diff_predicate: { type: 'any_field_changes' } } as const

  test('keeps how the page is read, until another language is chosen', () => {
    const draft = withPreset(EMPTY, preset)
    expect(of(draft).extract_config).toEqual(config)
    expect(of(draftOf(of(draft))).extract_config).toEqual(config)
    expect(of(withLanguage(draft, 'json_path')).extract_config).toEqual({ method: 'json_path', fields: config.fields })
  })
})

describe('a draft of a document', () => {
  const predicate = { type: 'any_field_changes' } as const
  const read_as = 'document' as const
  test.each<[string, ExtractConfig]>([
    ['by JSONPath', { method: 'json_path', read_as, fields: { price: '$.sheets[0].records[0].Price' } }],
    ['by CSS', { method: 'css', read_as, fields: { price: 'td' } }],
    ['whole', { method: 'full_page', read_as }],
    ['by a prompt', { method: 'prompt', read_as, prompt: 'The price of the kettle' }],
  ])('read %s keeps that it is one, and is fetched without a browser', (_, config) => {
    const draft = withPreset(EMPTY, { extract_config: config, diff_predicate: predicate })
    const body = of({ ...draft, usesBrowser: true, waitFor: '.price' })
    expect(body).toMatchObject({ extract_config: config, fetch_mode: 'auto' })
    expect(of(draftOf(body)).extract_config).toEqual(config)
    expect(of({ ...draft, readsDocument: false }).extract_config).not.toHaveProperty('read_as')
  })
})

test('a rule that was chosen in the tree of a file reads it as a document', () => {
  const rule = { method: 'json_path', rule: '$.sheets[0].records[0].Price', value: '5', readsDocument: true } as const
  expect(of(withChosen(EMPTY, rule)).extract_config).toMatchObject({ method: 'json_path', read_as: 'document' })
})

test('a draft of a monitor keeps what is left out and what is done to values', () => {
  const spec = (extract_config: ExtractConfig) => ({
    name: 'a',
    url: 'https://a.example/',
    schedule_interval_seconds: 60,
    extract_config,
    diff_predicate: { type: 'any_field_changes' } as const,
  })
  const clean = { jobs: [{ do: 'absolute_links' }, { do: 'drop_lines', pattern: '/ads/' }] } as const
  const ignore = { selectors: ['.ad'] }
  const configs: readonly ExtractConfig[] = [
    { method: 'css', fields: { jobs: 'a[]', other: 'b' }, clean, ignore },
    { method: 'json_path', fields: { jobs: '$' }, clean },
    { method: 'json_path', read_as: 'structured_data', fields: { jobs: '$' }, clean },
    { method: 'full_page', clean: { content_hash: [{ do: 'sort' }] } },
    { method: 'prompt', prompt: 'Which jobs?', clean: { result: [{ do: 'unique' }] }, ignore },
  ]
  for (const config of configs) expect(of(draftOf(spec(config))).extract_config).toEqual(config)
  const named = withFieldName(draftOf(spec(configs[0]!)), 0, 'open jobs')
  expect(of(named).extract_config).toMatchObject({ clean: { 'open jobs': clean.jobs } })
  expect(treatmentOf('keep_lines', clean.jobs[1])).toEqual({ do: 'keep_lines', pattern: '/ads/' })
  expect(TREATMENTS.map(([kind]) => treatmentOf(kind).do)).toEqual(TREATMENTS.map(([kind]) => kind))
})

type Element = Look['elements'][number]
const element = (x: number, y: number, side: number, order: number): Element => ({
  box: { x, y, width: side, height: side },
  order,
  parent: null,
  tag: 'p',
  text: '',
  path: null,
  unreadable: null,
})

describe('the paging of a request', () => {
  const filled = { param: 'p', cursor_path: '$.next', next_url_path: '$.next', items_path: '$.items', max_pages: '3' }
  test.each(PAGING_TYPES)('%s is valid with what the form asks for, and keeps it when the way is switched', (type) => {
    const paging = Object.entries(filled).reduce(
      (found, [key, text]) => {
        const known = pagingKeys(type).find((one) => one === key)
        return known ? withPagingValue(found, known, text) : found
      },
      pagingOf(type, undefined),
    )
    expect(checkerOf(Pagination).validate(paging)).toMatchObject({ ok: true })
    for (const [other] of PAGING_TYPES)
      expect(pagingOf(other, paging)).toMatchObject({ type: other, items_path: '$.items', max_pages: 3 })
    expect(withPagingValue(paging, 'max_pages', '')).not.toHaveProperty('max_pages')
    expect(withPagingValue(paging, 'max_pages', 'many')).toMatchObject({ max_pages: 'many' })
  })
})

describe('the element at a point', () => {
  test('is the one painted last, and of one painting the smallest', () => {
    const elements = [element(0, 0, 100, 1), element(10, 10, 50, 1), element(0, 0, 40, 2)]
    const hits = createHits(elements, () => false)
    expect([hits.at(5, 5), hits.at(50, 50), hits.at(90, 90), hits.at(200, 5)]).toEqual([2, 1, 0, null])
    expect(createHits(elements, (index) => index === 2).at(15, 15)).toBe(1)
  })

  test('of 4,000 is found in less than a frame of a screen', () => {
    const elements = Array.from({ length: 4_000 }, (_, nth) =>
      element((nth % 60) * 20, Math.floor(nth / 60) * 200, 18, nth),
    )
    const hits = createHits(elements, () => false)
    const started = performance.now()
    for (let nth = 0; nth < 100; nth += 1) hits.at(nth * 13, 13_190)
    expect((performance.now() - started) / 100).toBeLessThan(16)
  })
})

test('a tree begins with the levels that fit, and shows what is open', () => {
  const family = createFamily([null, 0, 0, 1, 1].map((parent) => ({ parent })))
  const shown = (open: ReadonlySet<number>) => treeRows(family, open).map(({ index, level }) => [index, level])
  expect(shown(openAtFirst(family))).toEqual([
    [0, 1],
    [1, 2],
    [3, 3],
    [4, 3],
    [2, 2],
  ])
  expect(shown(new Set([0]))).toEqual([
    [0, 1],
    [1, 2],
    [2, 2],
  ])
  expect([family.neighbourOf(1, 1), family.neighbourOf(2, 1), family.ancestorsOf(4)]).toEqual([2, null, [0, 1]])
  const wide = createFamily([{ parent: null }, ...Array.from({ length: 4_000 }, () => ({ parent: 0 }))])
  expect(openAtFirst(wide).size).toBe(0)
})
