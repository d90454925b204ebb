import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiKeyCreate } from '../../schema/account/api-key.ts'
import { Config } from '../../schema/config/config.ts'
import { MonitorCreate } from '../../schema/monitor/monitor.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { jsons } from '../core/values.ts'
import { faultsOf, pathsOf, SMALLEST, validate } from '../support/api/monitor-body.ts'
import { processorMs } from '../support/run/processor-ms.ts'

/** From JSON text, where `__proto__` is a key like any other. */
const parse = (text: string) => JSON.parse(text) as object

function nested(depth: number, shell: (inner: unknown) => unknown): unknown {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = shell(value)
  return value
}

describe('text that cannot be stored', () => {
  const message = 'must not contain NUL or lone surrogate characters'

  test.each([
    ['NUL', 'a\0b'],
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate', '\udc00a'],
    ['surrogates the wrong way round', '\udc00\ud800'],
  ])('%s is refused wherever it stands', (_, text) => {
    expect(faultsOf({ name: text })).toEqual([`name: ${message}`])
    expect(faultsOf({ deliveries: [{ type: 'email', to: text }] })).toEqual([`deliveries[0].to: ${message}`])
    const schema = { properties: { a: [1, { b: text }] } }
    expect(faultsOf({ extract_config: { method: 'prompt', prompt: 'what is it?', schema } })).toEqual([
      `extract_config.schema.properties.a[1].b: ${message}`,
    ])
  })

  test('is refused in a key', () => {
    expect(faultsOf({ request_headers: { 'a\0': 'x' } })).toEqual([
      'request_headers: must not have keys with NUL or lone surrogate characters',
    ])
  })

  test('a pair of surrogates is a character like any other', () => {
    expect(pathsOf({ name: 'a 😀' })).toEqual([])
  })
})

describe('keys that Object.prototype has', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is not a known key', (key) => {
    const body = parse(JSON.stringify(SMALLEST).replace('{', `{${JSON.stringify(key)}:{"a":1},`))
    for (const options of [{}, { defaults: true }]) {
      expect(checkerOf(MonitorCreate).validate(body, options)).toMatchObject({
        ok: false,
        issues: [{ path: key, message: 'is not a known key' }],
      })
    }
  })

  test('__proto__ is no field, beside others or alone', () => {
    for (const fields of ['{"__proto__":".a"}', '{"__proto__":".a","price":".b"}'])
      expect(pathsOf({ extract_config: { method: 'css', fields: parse(fields) } })).toEqual([
        'extract_config.fields.__proto__',
      ])
  })

  test('constructor may be a field, and toString is none unless it is defined', () => {
    const extract_config = { method: 'css', fields: { constructor: '.a' } }
    expect(pathsOf({ extract_config, diff_predicate: { type: 'field_changes', field: 'constructor' } })).toEqual([])
    expect(pathsOf({ extract_config, diff_predicate: { type: 'field_changes', field: 'toString' } })).toEqual([
      'diff_predicate.field',
    ])
  })

  test.each<[unknown]>([
    ['constructor'],
    ['__proto__'],
    ['toString'],
    [5],
    [null],
    [{}],
    [['page']],
    [{ toString: 1, valueOf: 1 }],
  ])('a type of %j is none, with defaults and without', (type) => {
    for (const options of [{}, { defaults: true }]) {
      const result = validate({ request_config: { pagination: { type } }, diff_predicate: { type } }, options)
      const paths = result.ok ? [] : result.issues.map(({ path }) => path)
      expect(paths).toEqual(expect.arrayContaining(['request_config.pagination.type', 'diff_predicate.type']))
    }
  })

  test('no prototype is changed', () => {
    validate(parse('{"request_config":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1}}'), { defaults: true })
    expect('polluted' in {}).toBe(false)
  })
})

describe('unknown keys', () => {
  test.each([1, 2, 49, 50, 51, 1000])('%i of them are refused', (count) => {
    const unknown = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
    for (const change of [
      unknown,
      { visual_config: { enabled: true, ...unknown } },
      { deliveries: [{ type: 'email', to: 'a@example.com', ...unknown }] },
    ]) {
      const paths = pathsOf(change)
      expect(paths.filter((path) => /(?:^|\.)k\d+$/.test(path))).toHaveLength(Math.min(count, 50))
      expect(paths.length).toBeLessThanOrEqual(52)
    }
  })

  test('beyond fifty are counted by one issue, and beyond a thousand the value is not read to its end', () => {
    const withKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]))
    const messages = (value: object) => {
      const read = checkerOf(MonitorCreate).validate({ ...SMALLEST, ...value })
      return read.ok ? [] : read.issues.slice(50).map(({ path, message }) => `${path}: ${message}`)
    }
    expect(messages(withKeys(60))).toEqual([': has 10 more keys that are not known'])
    expect(messages(withKeys(200_000))).toEqual([
      ': has 199950 more keys that are not known: it was not read to its end',
    ])
    expect(messages({ visual_config: { enabled: true, ...withKeys(2_000) } })).toEqual([
      'visual_config: has 1950 more keys that are not known: it was not read to its end',
      ': may have further faults: it was not read to its end',
    ])
  })

  test('are not counted where the schema allows any: a map has no unknown keys', () => {
    const schema = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`k${at}`, 1]))
    expect(pathsOf({ extract_config: { method: 'prompt', prompt: 'The price of it', schema } })).toEqual([])
  })
})

test('unknown keys are named at each level', () => {
  const unknown = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, 1]))
  const paths = pathsOf({ ...unknown, visual_config: { enabled: true, ...unknown } })
  expect(paths).toEqual(expect.arrayContaining(['k0', 'visual_config.k0']))
  expect(paths.length).toBeGreaterThan(45)
})

describe('size', () => {
  const entries = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`k${index}`, 'a']))

  test.each<[string, object, string]>([
    [
      'conditions',
      {
        diff_predicate: {
          type: 'composite',
          operator: 'OR',
          conditions: Array(30_000).fill({ type: 'any_field_changes' }),
        },
      },
      'diff_predicate.conditions',
    ],
    ['deliveries', { deliveries: Array(30_000).fill({ type: 'x' }) }, 'deliveries'],
    ['fields', { extract_config: { method: 'css', fields: entries } }, 'extract_config.fields'],
    ['headers', { request_headers: entries }, 'request_headers'],
    ['unknown keys', entries, 'k0'],
    ['regions', { visual_config: { enabled: true, regions: Array(30_000).fill({}) } }, 'visual_config.regions'],
  ])('thirty thousand %s are refused in a fraction of a second of the processor', (_, change, path) => {
    const cost = processorMs(() => expect(pathsOf(change)).toContain(path))
    expect(cost).toBeLessThan(250)
  })

  test('nesting without end is refused, not followed', () => {
    for (const shell of [(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })]) {
      const value = nested(100_000, shell)
      const hints = { method: 'prompt', prompt: 'what is it?', schema: { a: value } }
      for (const change of [{ diff_predicate: value }, { extract_config: hints }])
        expect(faultsOf(change)).toContainEqual(expect.stringMatching(/: is nested too deeply$/))
    }
  })

  test('a list whose items must be unique is not followed without end', () => {
    const scopes = nested(20_000, (inner) => [inner])
    expect(checkerOf(ApiKeyCreate).validate({ name: 'ci', scopes })).toMatchObject({
      ok: false,
      issues: [{ path: expect.stringMatching(/^scopes\[0\]/), message: 'is nested too deeply' }, { path: '' }],
    })
  })

  test('a predicate of the largest valid size is accepted in less than a second of the processor', () => {
    const leaves = Array(25).fill({ type: 'field_changes', field: 'price' })
    const two = Array(25).fill({ type: 'composite', operator: 'OR', conditions: leaves })
    const three = Array(25).fill({ type: 'composite', operator: 'AND', conditions: two })
    const predicate = { type: 'composite', operator: 'OR', conditions: three }
    const cost = processorMs(() => expect(pathsOf({ diff_predicate: predicate })).toEqual([]))
    expect(cost).toBeLessThan(1000)
  })
})

describe('anything at all', () => {
  test('is either accepted or refused with a reason, and never thrown over', () => {
    fc.assert(
      fc.property(jsons, fc.boolean(), (value, defaults) => {
        const result = checkerOf(MonitorCreate).validate(value, { defaults })
        expect(result.ok || result.issues.length > 0).toBe(true)
      }),
    )
  })

  test('instead of any part of a body is either accepted or refused with a path into that part', () => {
    const keys = fc.constantFrom(
      ...Object.keys(SMALLEST),
      'deliveries',
      'request_headers',
      'request_config',
      'visual_config',
    )
    fc.assert(
      fc.property(keys, jsons, fc.boolean(), (key, value, defaults) => {
        const result = validate({ [key]: value }, { defaults })
        const paths = result.ok ? [] : result.issues.map(({ path }) => path)
        // A wrong extract_config may leave the predicate without its field, and two parts together may be at odds.
        expect(paths.every((path) => path.startsWith(key) || path === '' || path.startsWith('diff_predicate'))).toBe(
          true,
        )
      }),
      { numRuns: 500 },
    )
  })

  test('is no setting either', () => {
    fc.assert(
      fc.property(
        jsons,
        (value) => typeof checkerOf(Config).validate({ PORT: value }, { defaults: true }).ok === 'boolean',
      ),
    )
  })
})
