import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { levelOf, since, sinceTextsOf, WORK_LEVEL } from '../../schema/level.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { MonitorCreate, MonitorSpec } from '../../schema/monitor/monitor.ts'
import { SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import { Choice, Closed, Dictionary, LEVEL, Nullable, Tagged, Text } from '../../schema/shape/shape.ts'
import { splitLater } from '../../schema/validation/later-keys.ts'

const Definition = Closed({
  name: Text(1, 10),
  sign_in: Type.Optional(since(2, Nullable(Text(1, 10), { default: null }))),
  mode: Type.Optional(since(3, Choice(['plain', 'raw'], { default: 'plain' }))),
  fields: Dictionary(Closed({ rule: Text(1, 10), treatment: Type.Optional(since(4, Text(1, 10))) }), {
    maxProperties: 5,
  }),
  deliveries: Type.Array(Tagged('type', { hook: { raw: Type.Optional(since(5, Type.Boolean())) }, mail: {} }), {
    maxItems: 5,
  }),
})
const plain = { name: 'a', fields: { price: { rule: 'b' } }, deliveries: [{ type: 'hook' }] }

describe('The level of a value', () => {
  test.each([
    ['without a key that needs one', plain, 1],
    ['with a key that needs one', { ...plain, sign_in: 'x' }, 2],
    ['with such a key that is null', { ...plain, sign_in: null }, 1],
    ['with such a key at its default', { ...plain, mode: 'plain' }, 1],
    ['with the key at another value', { ...plain, mode: 'raw' }, 3],
    ['with such a key in a map', { ...plain, fields: { one: { rule: 'b' }, two: { rule: 'b', treatment: 'c' } } }, 4],
    ['with such a key in a list', { ...plain, deliveries: [{ type: 'mail' }, { type: 'hook', raw: true }] }, 5],
    ['with several is the highest', { ...plain, sign_in: 'x', mode: 'raw' }, 3],
    ['that is not an object', 'text', 1],
  ])('%s', (_, value, level) => {
    expect(levelOf(Definition, value)).toBe(level)
  })

  test('is that of a text only where its pattern matches', () => {
    const Rules = Dictionary(sinceTextsOf(3, /::raw$/, Text(1, 10)), { maxProperties: 5 })
    expect([{ a: 'b' }, { a: 'b', c: 'd::RAW' }].map((rules) => levelOf(Rules, rules))).toEqual([1, 3])
    const of = (rule: string) => levelOf(MonitorSpec, { extract_config: { method: 'css', fields: { it: rule } } })
    expect(['a', 'a[]', 'a::attr(href)', 'a::text []'].map(of)).toEqual([1, 1, 2, 2])
  })

  test('is that of a variant, wherever an object of it stands', () => {
    const Event = Tagged('type', { plain: {}, later: { at: Text(1, 10) } }, { levels: { later: 3 } })
    const Definition = Closed({ event: Event, events: Type.Array(Event, { maxItems: 5 }) })
    const [plain, later] = [{ type: 'plain' }, { type: 'later', at: 'a' }]
    const values = [
      { event: plain, events: [plain] },
      { event: later, events: [] },
      { event: plain, events: [plain, later] },
      { event: { type: 'toString' }, events: [{}, null, 'later'] },
    ]
    expect(values.map((value) => levelOf(Definition, value))).toEqual([1, 3, 3, 1])
  })

  test('is that of the type of a predicate, also within groups', () => {
    const of = (diff_predicate: DiffPredicate) => levelOf(MonitorSpec, { name: 'a', diff_predicate })
    const group = (...conditions: DiffPredicate[]) => ({ type: 'composite', operator: 'AND', conditions }) as const
    const changes: DiffPredicate = { type: 'field_changes', field: 'a' }
    const gains: DiffPredicate = { type: 'list_gains_items', field: 'a' }
    expect([changes, gains, group(changes, group(gains))].map(of)).toEqual([1, 1, 1])
    for (const type of ['lines_added', 'lines_removed', 'list_loses_items', 'list_gains_unseen_items'] as const) {
      const leaf: DiffPredicate = { type, field: 'a' }
      expect([leaf, group(changes, leaf), group(group(group(changes, leaf)))].map(of)).toEqual([2, 2, 2])
    }
  })

  test('is that of how an answer is read', () => {
    const paths = { method: 'json_path', fields: { it: '$.product.price' } }
    const of = (more: object) => levelOf(MonitorSpec, { extract_config: { ...paths, ...more } })
    expect([of({}), of({ read_as: 'structured_data' }), of({ read_as: 'document' })]).toEqual([1, 2, 2])
    const page = (more: object) => levelOf(MonitorSpec, { extract_config: { method: 'full_page', ...more } })
    expect([page({}), page({ read_as: 'document' })]).toEqual([1, 2])
  })

  test('is that of a key that other variants had before', () => {
    const Event = Tagged(
      'type',
      { old: { at: Type.Optional(Text(1, 9)) }, new: { at: Type.Optional(Text(1, 9)) } },
      {
        levels: { new: { at: 4 } },
      },
    )
    const of = (event: object) => levelOf(Closed({ event: Event }), { event })
    expect([of({ type: 'old', at: 'a' }), of({ type: 'new' }), of({ type: 'new', at: 'a' })]).toEqual([1, 1, 4])
    const left = { ignore: { selectors: ['.ad'] } }
    const page = (extract_config: object) => levelOf(MonitorSpec, { extract_config })
    expect([page({ method: 'full_page', ...left }), page({ method: 'css', ...left })]).toEqual([1, 2])
  })

  test('is that of treatments', () => {
    const of = (more: object) =>
      levelOf(MonitorSpec, { extract_config: { method: 'regex', fields: { it: 'a' }, ...more } })
    expect([of({}), of({ clean: { it: [{ do: 'sort' }] } })]).toEqual([1, 2])
  })

  test('is nowhere above that of this version', () => {
    const levels = [MonitorSpec, SerpMonitorSpec, MonitorCreate].flatMap((definition) =>
      [...JSON.stringify(definition).matchAll(new RegExp(`"${LEVEL}":(\\d+)`, 'g'))].map(([, level]) => Number(level)),
    )
    expect(Math.max(1, ...levels)).toBe(WORK_LEVEL)
  })
})

describe('Keys of a later version', () => {
  test('are split from those that are known, with their paths', () => {
    const stored = {
      ...plain,
      later: 1,
      fields: { price: { rule: 'b', 'x-y': [1] } },
      deliveries: [{ type: 'hook', signed: false }],
    }
    expect(splitLater(Definition, stored)).toEqual({
      known: plain,
      later: [['fields', 'price', 'x-y'], ['deliveries', 0, 'signed'], ['later']],
    })
  })

  test('are none in an object that may have any', () => {
    const free = Closed({ any: Type.Unknown(), schema: Type.Object({}, { additionalProperties: true }) })
    const value = { any: { a: 1 }, schema: { b: 2 } }
    expect(splitLater(free, value)).toEqual({ known: value, later: [] })
  })
})
