import { describe, expect, test } from 'vitest'
import { ApiKeyCreate } from '../../schema/account/api-key.ts'
import { MonitorCreate, MonitorPatch } from '../../schema/monitor/monitor.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { faultsOf, pathsOf, SMALLEST, validate } from '../support/api/monitor-body.ts'

const nested = (levels: number): object =>
  levels === 1
    ? { type: 'any_field_changes' }
    : { type: 'composite', operator: 'AND', conditions: [nested(levels - 1)] }

describe('faults', () => {
  test.each<[object, string[]]>([
    [{ name: 5 }, ['name: must be a string']],
    [{ name: '' }, ['name: must not be empty']],
    [{ schedule_interval_seconds: '60' }, ['schedule_interval_seconds: must be an integer']],
    [{ schedule_interval_seconds: 1 }, ['schedule_interval_seconds: must be at least 60']],
    [{ fetch_mode: 'x' }, ['fetch_mode: must be one of "auto", "browser"']],
    [
      { url: 'ftp://a' },
      [
        'url: must be an absolute http:// or https:// address with a port of at most 65535, if any, and without ' +
          'user name, spaces or backslashes',
      ],
    ],
    [
      { url: 'http://a.example:99999/x' },
      [
        'url: must be an absolute http:// or https:// address with a port of at most 65535, if any, and without ' +
          'user name, spaces or backslashes',
      ],
    ],
    [
      { url: 'http://[::1]:65536' },
      [
        'url: must be an absolute http:// or https:// address with a port of at most 65535, if any, and without ' +
          'user name, spaces or backslashes',
      ],
    ],
    [
      { url: 'http://a:99999@b.example/' },
      [
        'url: must be an absolute http:// or https:// address with a port of at most 65535, if any, and without ' +
          'user name, spaces or backslashes',
      ],
    ],
    [
      { diff_predicate: nested(5) },
      ['diff_predicate.conditions[0].conditions[0].conditions[0]: is nested too deep: at most 4 levels'],
    ],
    [{ wrong: 1 }, ['wrong: is not a known key']],
    [{ 'x-a': 1, '': 2 }, ['x-a: is not a known key', '[""]: is not a known key']],
    [{ request_config: 5 }, ['request_config: must be an object']],
    [{ request_config: { method: 'GET', body: 5 } }, ['request_config.body: must be a string']],
    [{ deliveries: [{ type: 'email' }] }, ['deliveries[0].to: is required with type email']],
    [
      { deliveries: [{ type: 'email', to: 'a@example.com', url: 'https://example.com/' }] },
      ['deliveries[0].url: is not allowed with type email'],
    ],
    [{ extract_config: { method: 'css', fields: { 'a b': '' } } }, ['extract_config.fields["a b"]: must not be empty']],
    [{ extract_config: { method: 'css', fields: { 'a.b': '' } } }, ['extract_config.fields["a.b"]: must not be empty']],
    [
      {
        diff_predicate: { type: 'composite', operator: 'AND', conditions: [{ type: 'field_changes', field: 'stock' }] },
      },
      ['diff_predicate.conditions[0].field: is not among the fields that are extracted: "price"'],
    ],
    [
      { request_headers: { 'X-A': '1', 'x-a': '2' } },
      [
        'request_headers["X-A"]: the same header is given twice, in different case',
        'request_headers["x-a"]: the same header is given twice, in different case',
      ],
    ],
  ])('%j', (change, faults) => {
    expect(faultsOf(change)).toEqual(faults)
  })

  test('a missing key is named, and all of them at once', () => {
    const result = checkerOf(MonitorCreate).validate({})
    expect(result.ok ? [] : result.issues).toEqual(
      Object.keys(SMALLEST).map((path) => ({ path, message: 'is required' })),
    )
  })

  test('of different kinds are reported together', () => {
    expect(pathsOf({ name: '', url: 5, wrong: 1, schedule_interval_seconds: 1 }).sort()).toEqual([
      'name',
      'schedule_interval_seconds',
      'url',
      'wrong',
    ])
  })

  test('of one delivery hide neither those of the others nor those of the fields', () => {
    const deliveries = [
      { type: 'webhook' },
      { type: 'email', to: 'nobody' },
      { type: 'slack', webhookUrl: 5 },
      { type: 'discord', webhookUrl: 'ftp://a' },
      { type: 'webhook', url: 'https://example.com/', headers: { Host: 'a', 'x a': 'b' } },
    ]
    const fields = { '': '.a', price: '' }
    expect(pathsOf({ deliveries, extract_config: { method: 'css', fields } }).sort()).toEqual([
      'deliveries[0].url',
      'deliveries[1].to',
      'deliveries[2].webhookUrl',
      'deliveries[3].webhookUrl',
      'deliveries[4].headers.Host',
      'deliveries[4].headers["x a"]',
      'extract_config.fields.price',
    ])
  })

  test('in a list that is too long, and beside text that cannot be stored, hide no others', () => {
    const deliveries = Array(26).fill({ type: 'email', to: 'nobody' })
    const paths = pathsOf({ name: 'a\0', url: 'b', deliveries, request_headers: { host: 'a' } })
    expect(paths).toEqual(expect.arrayContaining(['name', 'url', 'deliveries', 'request_headers.host']))
    expect(paths).toContain('deliveries[24].to')
    expect(paths).not.toContain('deliveries[25].to')
  })

  test('beyond the bound of the work leave the rules alone', () => {
    const condition = { type: 'field_matches_regex', field: 5, pattern: 5 }
    const conditions = Array(25).fill({ type: 'composite', operator: 'OR', conditions: Array(25).fill(condition) })
    const faults = faultsOf({ url: 5, diff_predicate: { type: 'composite', operator: 'OR', conditions } })
    expect(faults.length).toBeLessThanOrEqual(501)
    expect(faults).toEqual(expect.arrayContaining([': has more than 500 faults', 'url: must be a string']))
  })

  test.each<[object, string]>([
    [{ urll: 'a' }, 'urll: is not a known key (did you mean "url"?)'],
    [{ extractConfig: {} }, 'extractConfig: is not a known key (did you mean "extract_config"?)'],
    [{ delivreies: [] }, 'delivreies: is not a known key (did you mean "deliveries"?)'],
    [{ interval: 5 }, 'interval: is not a known key (did you mean "schedule_interval_seconds"?)'],
    [{ visual_config: { enabled: true, treshold: 5 } }, 'visual_config.treshold: is not a known key'],
    [{ visual_config: { enabled: true, tresholdPct: 5 } }, '(did you mean "thresholdPct"?)'],
    [{ deliveries: [{ type: 'slack', webhook_url: 'https://example.com/' }] }, '(did you mean "webhookUrl"?)'],
    [{ diff_predicate: { type: 'field_above', field: 'price', treshold: 5 } }, '(did you mean "threshold"?)'],
  ])('the known key that %j was meant for is named', (change, fault) => {
    expect(faultsOf(change)).toContainEqual(expect.stringContaining(fault))
  })

  test.each<[object, string]>([
    [{ fetch_mode: 'broswer' }, 'fetch_mode: must be one of "auto", "browser" (did you mean "browser"?)'],
    [{ fetch_mode: 'Auto' }, '(did you mean "auto"?)'],
    [{ diff_predicate: { type: 'field_chnages', field: 'price' } }, '(did you mean "field_changes"?)'],
    [{ extract_config: { method: 'jsonpath', fields: { price: '$' } } }, '(did you mean "json_path"?)'],
    [{ deliveries: [{ type: 'slak', webhookUrl: 'https://example.com/' }] }, '(did you mean "slack"?)'],
    [{ notify_on: ['recovred'] }, '(did you mean "recovered"?)'],
  ])('the value that %j was meant for is named', (change, fault) => {
    expect(faultsOf(change)).toContainEqual(expect.stringContaining(fault))
  })

  test.each(['', 'a'.repeat(100_000), 'lynx'])('no value is guessed for %.20s', (fetch_mode) => {
    expect(faultsOf({ fetch_mode })).toEqual(['fetch_mode: must be one of "auto", "browser"'])
  })

  test.each(['id', 'x', 'a'.repeat(100_000), '', '日本', 'wholly_different'])('no key is guessed for %.20s', (key) => {
    expect(faultsOf({ [key]: 1 })).toEqual([expect.stringMatching(/is not a known key$/)])
  })

  test.each([null, [], 'x', 5, true, undefined])('%j is no body', (value) => {
    expect(checkerOf(MonitorCreate).validate(value)).toMatchObject({
      ok: false,
      issues: [{ path: '', message: 'must be an object' }],
    })
  })

  test('a list that holds an item twice, and an instant that is none, are named', () => {
    const result = checkerOf(ApiKeyCreate).validate({ name: 'a', scopes: ['read', 'read'], expires_at: 'tomorrow' })
    expect(result.ok ? [] : result.issues).toEqual([
      { path: 'scopes', message: 'must not hold the same item twice' },
      { path: 'expires_at', message: expect.stringContaining('ISO 8601') },
    ])
  })
})

describe('what is in order', () => {
  test('is answered as it came, nothing coerced and nothing dropped', () => {
    const body = { ...SMALLEST, deliveries: [] }
    expect(checkerOf(MonitorCreate).validate(body)).toEqual({ ok: true, value: body })
  })

  test('an edit may hold any part, and nothing', () => {
    for (const patch of [{}, { name: 'b' }, { request_headers: null }, { deliveries: [] }])
      expect(checkerOf(MonitorPatch).validate(patch)).toEqual({ ok: true, value: patch })
  })

  test('an edit cannot set what may not be edited or cleared', () => {
    for (const patch of [
      { template_slug: 'a' },
      { id: 'a' },
      { status: 'active' },
      { url: null },
      { name: null },
      { fetch_mode: null },
    ])
      expect(checkerOf(MonitorPatch).validate(patch)).toMatchObject({
        ok: false,
        issues: [{ path: Object.keys(patch)[0] }],
      })
  })
})

describe('defaults', () => {
  const filled = (change: object) => {
    const result = validate(change, { defaults: true })
    return result.ok ? result.value : result.issues
  }

  test('are set where a key is absent, and only when asked for', () => {
    expect(filled({})).toEqual({
      ...SMALLEST,
      deliveries: [],
      template_slug: null,
      fetch_mode: 'auto',
      request_headers: null,
      request_config: null,
      visual_config: null,
      notify_on: [],
      quiet_hours: null,
      message: null,
      digest: null,
      isolation: 'shared',
      external_key: null,
      labels: {},
    })
    expect(validate({})).toEqual({ ok: true, value: SMALLEST })
  })

  test('leave what is there alone, null included', () => {
    expect(filled({ fetch_mode: 'browser', request_headers: null })).toMatchObject({
      fetch_mode: 'browser',
      request_headers: null,
    })
  })

  test('of a union are those of the chosen arm', () => {
    const paging = (pagination: object) =>
      (filled({ request_config: { pagination } }) as { request_config: { pagination: object } }).request_config
    expect(paging({ type: 'page', in: 'query', param: 'p' })).toEqual({
      method: 'GET',
      pagination: { type: 'page', in: 'query', param: 'p', start: 1, step: 1, max_pages: 20 },
    })
    expect(paging({ type: 'link_header' })).toEqual({
      method: 'GET',
      pagination: { type: 'link_header', max_pages: 20 },
    })
  })

  test('reach into objects in objects', () => {
    expect(filled({ visual_config: { enabled: true, viewport: { width: 800 } } })).toMatchObject({
      visual_config: {
        enabled: true,
        thresholdPct: 1,
        fullPage: true,
        regions: [],
        viewport: { width: 800, height: 720 },
      },
    })
  })

  test('do not touch the value that was given, nor are they shared', () => {
    const body = structuredClone(SMALLEST)
    const [one, other] = [filled(body), filled(body)] as { deliveries: object[] }[]
    one?.deliveries.push({})
    expect(other?.deliveries).toEqual([])
    expect(body).toEqual(SMALLEST)
  })
})
