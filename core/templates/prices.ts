import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { template } from './template.ts'

/** Returns conditions that hold when the field moves up or down by at least this percentage since the check before. */
function moves(field: string, percent: number): DiffPredicate[] {
  return [
    { type: 'field_decreases_by_percent', field, threshold: percent },
    { type: 'field_increases_by_percent', field, threshold: percent },
  ]
}

export const cryptoPrice = template({
  slug: 'crypto-price',
  name: 'Price of a cryptocurrency',
  description:
    "Reports when a coin's price moves by 2 % or more between two checks. Give the address of an exchange's or " +
    "aggregator's JSON ticker for one pair: the price is read where it is named price, last, last_price, " +
    'lastPrice, amount or usd, as text or number.',
  category: 'crypto',
  audience: 'both',
  example_url: null,
  config: {
    extract: {
      method: 'json_path',
      fields: { price: "$..['price', 'last', 'last_price', 'lastPrice', 'amount', 'usd']" },
    },
    diff_predicate: { type: 'composite', operator: 'OR', conditions: moves('price', 2) },
    schedule_interval_seconds: 900,
  },
})

export const stockPrice = template({
  slug: 'stock-price',
  name: 'Price of a stock',
  description:
    "Reports when a share's price moves by 2 % or more between two checks. Give the address of a market data API's " +
    'JSON quote for one symbol: the price is read where it is named regularMarketPrice, latestPrice, lastPrice, ' +
    'last_price or price.',
  category: 'finance',
  audience: 'both',
  example_url: null,
  config: {
    extract: {
      method: 'json_path',
      fields: {
        price: "$..['regularMarketPrice', 'latestPrice', 'lastPrice', 'last_price', 'price', '05. price']",
        symbol: "$..['symbol', 'ticker', '01. symbol']",
      },
    },
    diff_predicate: { type: 'composite', operator: 'OR', conditions: moves('price', 2) },
    schedule_interval_seconds: 900,
  },
})

export const shopProductPrice = template({
  slug: 'shop-product-price',
  name: 'Price of a product in a shop',
  description:
    "Reports when a product's price falls or rises by 1 % or more, and when it is sold out or back. Give the address " +
    "of the product's page: price, currency and availability are read from what shops write for search engines " +
    '(JSON-LD, microdata, Open Graph), so that a new design of the page does not matter.',
  category: 'ecommerce',
  audience: 'both',
  example_url: null,
  config: {
    extract: {
      method: 'json_path',
      read_as: 'structured_data',
      fields: { price: '$.product.price', currency: '$.product.currency', availability: '$.product.availability' },
    },
    diff_predicate: {
      type: 'composite',
      operator: 'OR',
      conditions: [...moves('price', 1), { type: 'field_changes', field: 'availability' }],
    },
    schedule_interval_seconds: 3600,
  },
})
