import { describe, expect, test } from 'vitest'
import { PAGE_BYTES, PAGE_EXTRACT, shopPage } from '../../bench/support/page.ts'
import { extract } from '../../runners/extract/extract.ts'

const read = (cents: number) =>
  extract(
    { body: Buffer.from(shopPage(cents)), contentType: 'text/html; charset=utf-8', url: 'http://shop.example/' },
    PAGE_EXTRACT,
  )

describe('the page that the bench watches', () => {
  test('shows the price that it is given, to the rule that the bench uses', () => {
    expect(read(123_405)).toMatchObject({ ok: true, values: { price: '€ 1234.05' } })
  })

  test('is as long at every price, so that its length tells nothing', () => {
    for (const cents of [100_000, 123_405, 999_999]) expect(Buffer.byteLength(shopPage(cents))).toBe(PAGE_BYTES)
  })

  test('differs only by its price', () => {
    expect(shopPage(100_000).replace('1000.00', '1000.01')).toBe(shopPage(100_001))
  })
})
