import { describe, expect, test } from 'vitest'
import { readImport } from '../../manifests/import/read-import.ts'

const ID = '6b1c4f0e-9d0c-4c5e-8a5b-0d4a3b2c1f00'

/** Imports one watch. */
function imported(more: object) {
  const watch = { uuid: ID, url: 'https://shop.example.com/lamp', title: 'Lamp', ...more }
  const read = readImport('changedetection', JSON.stringify({ watching: { [ID]: watch } }), { intervalSeconds: 3600 })
  if (typeof read === 'string') throw new Error(read)
  return { body: read.monitors[0]?.body, report: read.report }
}

const restock = (settings: object, more: object = {}) =>
  imported({ processor: 'restock_diff', processor_config_restock_diff: settings, ...more })

const PRICE_CHANGES = { type: 'field_changes', field: 'price' }
const STOCK_CHANGES = { type: 'field_changes', field: 'availability' }

describe('A watch of prices and stock', () => {
  test('reads what the page states, and fires when it is back or its price changes', () => {
    const { body, report } = restock({})
    expect(body).toMatchObject({
      extract_config: {
        method: 'json_path',
        read_as: 'structured_data',
        fields: { price: '$.product.price', availability: '$.product.availability' },
      },
      diff_predicate: {
        operator: 'OR',
        conditions: [
          { operator: 'AND', conditions: [STOCK_CHANGES, { type: 'field_matches_regex', field: 'availability' }] },
          PRICE_CHANGES,
        ],
      },
    })
    expect(report).toEqual([])
  })

  test.each([
    ['any change of stock', { in_stock_processing: 'all_changes', follow_price_changes: false }, STOCK_CHANGES],
    ['prices alone', { in_stock_processing: 'off' }, PRICE_CHANGES],
    [
      'limits',
      { in_stock_processing: 'off', price_change_min: 10, price_change_max: '20.5' },
      {
        conditions: [
          { type: 'field_below', field: 'price', threshold: 10 },
          { type: 'field_above', field: 'price', threshold: 20.5 },
        ],
      },
    ],
    [
      'a percentage',
      { in_stock_processing: 'off', price_change_threshold_percent: 5 },
      {
        conditions: [
          { type: 'field_decreases_by_percent', field: 'price', threshold: 5 },
          { type: 'field_increases_by_percent', field: 'price', threshold: 5 },
        ],
      },
    ],
    ['nothing', { in_stock_processing: 'off', follow_price_changes: false }, { type: 'any_field_changes' }],
  ])('that follows %s does so', (_, settings, predicate) => {
    expect(restock(settings).body).toMatchObject({ diff_predicate: predicate })
    expect(imported({ processor: 'restock_diff', restock_settings: settings }).body).toMatchObject({
      diff_predicate: predicate,
    })
  })

  test('says what is read in another way', () => {
    expect(restock({ price_change_threshold_percent: 5 }).report.join()).toContain('since the first check')
    expect(restock({}, { include_filters: ['.price'] }).report.join()).toContain('filters of the text')
  })

  test('is also one whose data of JSON-LD was accepted', () => {
    expect(imported({ track_ldjson_price_data: 'accepted' }).body).toMatchObject({
      extract_config: { read_as: 'structured_data' },
    })
    expect(imported({ track_ldjson_price_data: 'rejected' }).body).toMatchObject({
      extract_config: { method: 'full_page' },
    })
  })
})
