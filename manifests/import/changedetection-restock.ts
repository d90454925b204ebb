import { isObject, isSet, textOf, type Values } from './imported.ts'

/** What a watch of prices and stock becomes. */
interface Restock {
  readonly extract_config: object
  readonly diff_predicate: object
}

const PROCESSOR = 'restock_diff'

/** Returns whether a watch looks at what a shop states of its product, and at nothing else. */
export const isRestock = (watch: Values): boolean =>
  textOf(watch['processor']) === PROCESSOR || textOf(watch['track_ldjson_price_data']) === 'accepted'

/** What a watch may have for its text, which this processor leaves aside. */
const OF_TEXT = ['include_filters', 'subtractive_selectors', 'ignore_text']

/** Returns how a watch of prices and stock is read, and when it fires. */
export function restockOf(watch: Values, miss: (what: string) => void): Restock {
  if (OF_TEXT.some((key) => isSet(watch[key]))) miss('filters of the text beside prices and stock')
  const conditions = conditionsOf(settingsOf(watch), miss)
  const [only] = conditions
  return {
    extract_config: {
      method: 'json_path',
      read_as: 'structured_data',
      fields: { price: '$.product.price', availability: '$.product.availability' },
    },
    diff_predicate:
      only === undefined
        ? { type: 'any_field_changes' }
        : conditions.length === 1
          ? only
          : { type: 'composite', operator: 'OR', conditions },
  }
}

/** Versions have them under either name. */
function settingsOf(watch: Values): Values {
  const settings = watch[`processor_config_${PROCESSOR}`] ?? watch['restock_settings']
  return isObject(settings) ? settings : {}
}

/** What the tool takes for "in stock". */
const IN_STOCK = '^(?:InStock|InStoreOnly|LimitedAvailability|OnlineOnly|PreSale)$'
const STOCK_CHANGES = { type: 'field_changes', field: 'availability' } as const

function conditionsOf(settings: Values, miss: (what: string) => void): object[] {
  const stock = textOf(settings['in_stock_processing']) || 'in_stock_only'
  const isBack = { type: 'field_matches_regex', field: 'availability', pattern: IN_STOCK }
  const conditions: object[] = []
  if (stock === 'all_changes') conditions.push(STOCK_CHANGES)
  else if (stock !== 'off') conditions.push({ type: 'composite', operator: 'AND', conditions: [STOCK_CHANGES, isBack] })
  if (settings['follow_price_changes'] !== false) conditions.push(...priceConditions(settings, miss))
  return conditions
}

function priceConditions(settings: Values, miss: (what: string) => void): object[] {
  const [least, most] = [positive(settings['price_change_min']), positive(settings['price_change_max'])]
  const percent = positive(settings['price_change_threshold_percent'])
  const limits = [
    ...(least === null ? [] : [{ type: 'field_below', field: 'price', threshold: least }]),
    ...(most === null ? [] : [{ type: 'field_above', field: 'price', threshold: most }]),
  ]
  if (limits.length > 0) {
    if (percent !== null) miss('a least change of prices beside limits')
    return limits
  }
  if (percent === null) return [{ type: 'field_changes', field: 'price' }]
  miss('a change of prices since the first check, in place of the check before')
  return ['field_decreases_by_percent', 'field_increases_by_percent'].map((type) => ({
    type,
    field: 'price',
    threshold: percent,
  }))
}

function positive(value: unknown): number | null {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : null
}
