import { describe, expect, test } from 'vitest'
import { toApiNames, toResourceNames } from '../../../core/custom-resource/names.ts'
import { isResourceName, resourceName } from '../../../core/custom-resource/resource-name.ts'
import { MonitorSpec } from '../../../schema/monitor/monitor.ts'

const API = {
  schedule_interval_seconds: 60,
  fetch_mode: 'auto',
  extract_config: {
    method: 'css',
    fields: { in_stock: '.a_b', inStock: '.c' },
    clean: { in_stock: [{ do: 'drop_lines', pattern: 'a_b' }] },
    read_as: 'document',
  },
  diff_predicate: {
    type: 'composite',
    operator: 'OR',
    conditions: [{ type: 'field_equals', field: 'in_stock', value: 'a_b' }],
  },
  request_headers: { x_api_key: 'a_b' },
  request_config: { pagination: { type: 'page', max_pages: 3, items_path: '$.a_b' } },
  visual_config: { enabled: true, thresholdPct: 2, ignoreSelectors: ['.a_b'], regions: [{ selector: '.a_b' }] },
  deliveries: [
    { type: 'webhook', url: 'https://example.com/a_b', headers: { x_trace_id: '1' } },
    { type: 'slack', webhookUrl: 'https://example.com/' },
  ],
}
const RESOURCE = {
  scheduleIntervalSeconds: 60,
  fetchMode: 'auto',
  extractConfig: {
    method: 'css',
    fields: { in_stock: '.a_b', inStock: '.c' },
    clean: { in_stock: [{ do: 'drop_lines', pattern: 'a_b' }] },
    readAs: 'document',
  },
  diffPredicate: API.diff_predicate,
  requestHeaders: { x_api_key: 'a_b' },
  requestConfig: { pagination: { type: 'page', maxPages: 3, itemsPath: '$.a_b' } },
  visualConfig: API.visual_config,
  deliveries: API.deliveries,
}

describe('names of a custom resource', () => {
  test("are the API's in camelCase, at every depth; values, fields and headers are left alone", () => {
    expect(toResourceNames(MonitorSpec, API)).toEqual(RESOURCE)
  })

  test("lead back to the API's, and those that are spelt alike in both stay", () => {
    expect(toApiNames(MonitorSpec, RESOURCE)).toEqual(API)
  })

  test('of what somebody else defines stay as they are, both ways', () => {
    const extract_config = {
      method: 'prompt',
      prompt: 'The price',
      schema: { unit_price: { min_value: 1, maxValue: 2 } },
    }
    const resource = toResourceNames(MonitorSpec, { extract_config })
    expect(resource).toEqual({ extractConfig: extract_config })
    expect(toApiNames(MonitorSpec, resource)).toEqual({ extract_config })
  })

  test('that are not known stay, for the check to refuse; the other spelling is not known', () => {
    expect(toApiNames(MonitorSpec, { scheduleInterval: 1, schedule_interval_seconds: 2 })).toEqual({
      scheduleInterval: 1,
      schedule_interval_seconds: 2,
    })
  })

  test('null is a value', () => {
    expect(toResourceNames(MonitorSpec, { visual_config: null })).toEqual({ visualConfig: null })
    expect(toApiNames(MonitorSpec, { visualConfig: null })).toEqual({ visual_config: null })
  })
})

describe('the name of a resource', () => {
  const id = '5b0f7f0e-7b7c-4c1e-9a53-0a6d6b1b8a11'
  test('is the name of the monitor where it can be and no other bears it', () => {
    expect(resourceName({ id, name: 'blue-kettle' }, true)).toBe('blue-kettle')
    expect(resourceName({ id, name: 'blue-kettle' }, false)).toBe('blue-kettle-5b0f7f0e')
  })

  test.each([
    ['Blue Kettle!', 'blue-kettle-5b0f7f0e'],
    ['Grüße aus Köln', 'gru-e-aus-koln-5b0f7f0e'],
    ['--a--', 'a-5b0f7f0e'],
    ['价格', 'monitor-5b0f7f0e'],
    ['a'.repeat(200), `${'a'.repeat(54)}-5b0f7f0e`],
    [`${'a'.repeat(53)} b`, `${'a'.repeat(53)}-5b0f7f0e`],
  ])('of %s is %s', (name, expected) => {
    const made = resourceName({ id, name }, true)
    expect([made, isResourceName(made)]).toEqual([expected, true])
  })
})
