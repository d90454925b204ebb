import { expect, test } from 'vitest'
import { LARGE_PAGE_BYTES, largePage } from '../../bench/support/large-page.ts'

test('the large page of the bench has one size for every price, and its one price at its middle', () => {
  for (const cents of [100_000, 123_456, 899_999]) {
    const page = largePage(cents).toString()
    expect(Buffer.byteLength(page)).toBe(LARGE_PAGE_BYTES)
    expect(page.match(/class="price"/g)).toHaveLength(1)
    expect(page).toContain(`EUR ${Math.floor(cents / 100)}.`)
    expect(page.indexOf('class="price"') / page.length).toBeCloseTo(0.5, 1)
  }
})
