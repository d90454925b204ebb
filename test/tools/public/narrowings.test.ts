import { describe, expect, test } from 'vitest'
import { narrowings } from '../../../tools/public/narrowings.ts'

const before = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 200, minLength: 1 },
    mode: { type: 'string', enum: ['auto', 'browser'] },
    count: { type: 'integer', minimum: 0, nullable: true },
    tags: { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 9 } },
    fields: { type: 'object', maxProperties: 9, additionalProperties: { type: 'string' } },
  },
}
const changed = (properties: object, more: object = {}) =>
  narrowings(before, { ...before, ...more, properties: { ...before.properties, ...properties } })

describe('A definition that accepts less than the released one', () => {
  test.each<[string, string[], string]>([
    [
      'a shorter text',
      changed({ name: { type: 'string', maxLength: 100, minLength: 1 } }),
      '.name: maxLength is smaller',
    ],
    [
      'a new bound',
      changed({ fields: { ...before.properties.fields, minProperties: 1 } }),
      '.fields: minProperties is',
    ],
    ['another type', changed({ count: { ...before.properties.count, type: 'string' } }), '.count: another type'],
    ['null', changed({ count: { type: 'integer', minimum: 0 } }), '.count: null is refused'],
    ['a choice that is gone', changed({ mode: { type: 'string', enum: ['auto'] } }), '.mode: browser is refused'],
    [
      'a choice in place of any text',
      changed({ name: { type: 'string', enum: ['a'] } }),
      '.name: any value is refused',
    ],
    ['a new pattern', changed({ name: { ...before.properties.name, pattern: 'a' } }), '.name: another pattern'],
    [
      'a new rule',
      changed({ name: { ...before.properties.name, 'x-kubernetes-validations': [{ rule: 'self != ""' }] } }),
      '.name: a new rule, self != ""',
    ],
    ['a required field', changed({}, { required: ['name', 'mode'] }), 'the whole: mode is required'],
    [
      'an item',
      changed({ tags: { ...before.properties.tags, items: { type: 'string', maxLength: 8 } } }),
      '.tags[]: max',
    ],
    [
      'a value of a map',
      changed({ fields: { ...before.properties.fields, additionalProperties: { type: 'integer' } } }),
      '.fields{}: an',
    ],
  ])('is reported: %s', (_, faults, message) => {
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(message)
  })

  test('is not one that has a rule for a new field', () => {
    const rule = (name: string) => ({
      'x-kubernetes-validations': [{ rule: `!has(self.${name}) || self.mode == 'auto'` }],
    })
    expect(changed({ ignore: { type: 'object' } }, rule('ignore'))).toEqual([])
    expect(changed({}, rule('count'))).toEqual([expect.stringContaining('a new rule, !has(self.count)')])
  })

  test.each([
    ["!has(self.fresh) || (self.fresh.all(a, a in ['x || y', '(']) && self.mode == 'auto')", true],
    ['!(has(self.fresh) && has(self.mode)) || self.mode.size() < 5', true],
    ['has(self.mode) || ((!has(self.fresh) || self.fresh == 1) && (!has(self.other) || self.other == 1))', true],
    ['has(self.mode) || !has(self.mode) || !has(self.fresh)', true],
    ['!has(self.fresh) && self.mode == 1', false],
    ['!(has(self.fresh) || has(self.mode)) || self.mode == 1', false],
    ['has(self.fresh) || self.mode == 1', false],
    ['!has(self.fresh) || self.mode == 1 ? self.mode == 2 : self.mode == 3', false],
    ["self.mode == '!has(self.fresh) || '", false],
  ])('with the rule %s is known to leave old objects alone: %j', (rule, isKept) => {
    const found = changed({ fresh: {}, other: {} }, { 'x-kubernetes-validations': [{ rule }] })
    expect(found).toHaveLength(isKept ? 0 : 1)
  })

  test.each<[string, object, object, string[]]>([
    ['one kind of two', { anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'string' }, ['.x: another type']],
    [
      'another default',
      { type: 'integer', default: 1 },
      { type: 'integer', default: 2 },
      ['.x: the default was 1, and is 2'],
    ],
    ['other keys', { type: 'object' }, { type: 'object', additionalProperties: false }, ['.x: other keys are refused']],
    ['equal items', { type: 'array' }, { type: 'array', uniqueItems: true }, ['.x: equal items are refused']],
  ])('is reported: %s', (_, was, is, faults) => {
    expect(narrowings({ properties: { x: was } }, { properties: { x: is } })).toEqual(faults)
  })

  test('is not one that takes one more kind, or a wider one', () => {
    const was = { properties: { x: { type: 'string', maxLength: 3 }, n: { type: 'integer' } } }
    const is = { properties: { x: { anyOf: [{ type: 'string' }, { type: 'null' }] }, n: { type: 'number' } } }
    expect(narrowings(was, is)).toEqual([])
  })

  test('is reported with the field that is gone', () => {
    const { mode: _, ...properties } = before.properties
    expect(narrowings(before, { ...before, properties })).toEqual(['.mode: is gone'])
  })

  test('is not reported for what is new and optional, longer texts and more choices', () => {
    const wider = {
      name: { type: 'string', maxLength: 300 },
      mode: { type: 'string', enum: ['auto', 'browser', 'proxy'] },
      extra: { type: 'boolean' },
    }
    expect(changed(wider, { required: [] })).toEqual([])
  })
})
