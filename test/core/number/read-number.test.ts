import { describe, expect, test } from 'vitest'
import { decimalText } from '../../../core/number/decimal.ts'
import { readNumber } from '../../../core/number/read-number.ts'
import type { Json } from '../../../schema/shape/json.ts'

const read = (value: Json) => {
  const number = readNumber(value)
  return number && decimalText(number)
}

/** Each text, and the number that it means; null: none. */
const TABLE: Record<string, readonly (readonly [Json, string | null])[]> = {
  'the examples of the design': [
    ['$1,299.00', '1299'],
    ['1.299,00 €', '1299'],
    ['1 299,00 kr', '1299'],
    ['₹1,29,900', '129900'],
    ["CHF 1'049,95", '1049.95'],
    ['50,- Kč', '50'],
    ['-3.5%', '-3.5'],
    ['−3,2 %', '-3.2'],
    ['1.2k', '1200'],
  ],
  'JSON numbers': [
    [0, '0'],
    [-0, '0'],
    [0.1, '0.1'],
    [1.1e-7, '0.00000011'],
    [1e21, '1000000000000000000000'],
    [-12.5, '-12.5'],
    [2 ** 53 + 2, '9007199254740994'],
    [123456789.123, '123456789.123'],
  ],
  'one separator with three digits behind it': [
    ['1,299', '1299'],
    ['1.299', '1.299'],
    ['0,299', '0.299'],
    ['0.299', '0.299'],
    ['1.299 €', '1299'],
    ['€1.299', '1299'],
    ['€ 1.299', '1299'],
    ['1.299 EUR', '1299'],
    ['1.299 kr.', '1299'],
    ['1.299 zł', '1299'],
    ['Rp 1.299', '1299'],
    ['R$ 1.299', '1299'],
    ['1.299₫', '1299'],
    ['$1.299 ARS', '1299'],
    ['$1.299', '1.299'],
    ['US$1.299', '1.299'],
    ['£1.299', '1.299'],
    ['¥1.299', '1.299'],
    ['1.299 USD', '1.299'],
    ['1.299 km', '1.299'],
    ['€1,299', '1299'],
    ['1299,500', '1299.5'],
    ['1299.500', '1299.5'],
    ['12,345%', '12.345'],
    ['%12,345', '12.345'],
    ['1.234 %', '1.234'],
    ['1.299,-', '1299'],
    ['1.299,– €', '1299'],
  ],
  'prices for a measure': [
    ['1,459 €/l', '1.459'],
    ['€1.299/kg', '1.299'],
    ['$3.499/gal', '3.499'],
    ['1.459 EUR / L', '1.459'],
    ['14,299 kr/kWh', '14.299'],
    ['1,299/100 g', '1.299'],
  ],
  'cents that a page splits off by white space': [
    ['$119. 95', '119.95'],
    ['$119.\n  95', '119.95'],
    ['$119 .95', '119.95'],
    ['$ 119 . 95', '119.95'],
    ['$1,119. 95', '1119.95'],
    ['US$119. 95', '119.95'],
    ['-$119. 95', '-119.95'],
    ['$119. 95 $149. 95', '119.95'],
    ['$119. 95/mo', '119.95'],
    ['$119. 95 was $149.95', '119.95'],
    ['CHF 119. 95', '119.95'],
    ['€119, 95', '119.95'],
    ['119, 95 €', '119.95'],
    ['1.119 ,95 kr', '1119.95'],
  ],
  'what is not split off': [
    ['119. 95', '119'],
    ['119. 95 people', '119'],
    ['1. 50 €', '1'],
    ['2023, 15 people', '2023'],
    ['$10, 20 pieces', '10'],
    ['$10. 25 left', '10'],
    ['$10. 25% off', '10'],
    ['$10, 20% off', '10'],
    ['$10. 5', '10'],
    ['$10. 500', '10'],
    ['$10. 12.05.2026', '10'],
    ['$119 95', '119'],
    ['$5 - $10. 95', '5'],
  ],
  'a time is no measure, and a ratio neither': [
    ['$1,299/mo', '1299'],
    ['€1.299/Monat', '1299'],
    ['$1,299 / month', '1299'],
    ['1,234/5,678', '1234'],
  ],
  'one separator with more or fewer digits behind it': [
    ['1,5', '1.5'],
    ['1.25', '1.25'],
    ['0,5', '0.5'],
    ['1.2345', '1.2345'],
    ['1,0000', '1'],
    ['12,50', '12.5'],
  ],
  'several separators': [
    ['1,299,000', '1299000'],
    ['1.299.000', '1299000'],
    ['1 299 000', '1299000'],
    ["1'299'000.50", '1299000.5'],
    ['1’299’000', '1299000'],
    ['1\u00a0299,5', '1299.5'],
    ['1\u202f299\u202f000,25', '1299000.25'],
    ['1,299.005', '1299.005'],
    ['1.299,005', '1299.005'],
    ['1,29,900.50', '129900.5'],
    ['12,34,56,789', '123456789'],
  ],
  'what is no number, or not clearly one': [
    ['', null],
    ['n/a', null],
    ['sold out', null],
    ['NaN', null],
    ['∞', null],
    ['1.2.3', null],
    ['192.168.1.1', null],
    ['01.05.2026', null],
    ['1,23,4', null],
    ['1,234,56', null],
    ['0,123,456', null],
    ['1.299,00.5', null],
    ['1½', null],
    [true, null],
    [false, null],
    [null, null],
    [[1, 2], null],
    [{ amount: 1 }, null],
  ],
  'two numbers in one text': [
    ['$10 – $20', '10'],
    ['10-20', '10'],
    ['4.5/5', '4.5'],
    ['3 for $5', '3'],
    ['2026-05-01', '2026'],
    ["5'11", '5'],
    ['0 123', '0'],
    ['1,299 500', '1299'],
    ['2 for 1 299 kr', '2'],
  ],
  signs: [
    ['-5', '-5'],
    ['+5', '5'],
    ['–5 %', '-5'],
    ['－5', '-5'],
    ['-$5', '-5'],
    ['$-5', '-5'],
    ['-€ 5', '-5'],
    ['€ -5,00', '-5'],
    ['-CHF 5.00', '-5'],
    ['CHF-5.00', '-5'],
    ['kr.-5', '-5'],
    ['−%5', '-5'],
    ['(-5)', '-5'],
    ['change: -0.4', '-0.4'],
    ['SKU-5', '5'],
    ['TOP-5', '5'],
    ['R-8', '8'],
    ['- 5 items', '5'],
    ['-Total 5', '5'],
    ['(1,234)', '1234'],
    ['--5', '5'],
  ],
  'abbreviated thousands and millions': [
    ['1.2M', '1200000'],
    ['1.2K', '1200'],
    ['1,2 k', '1200'],
    ['1,2 M€', '1200000'],
    ['$1.234M', '1234000'],
    ['€1.234M', '1234000'],
    ['5kg', '5'],
    ['5 km', '5'],
    ['5M2', '5'],
    ['5 Kč', '5'],
    ['5m', '5'],
  ],
  exponents: [
    ['1e5', '100000'],
    ['1.5E-7', '0.00000015'],
    ['1e+3', '1000'],
    ['1e5x', '1'],
    ['abc1e5', '1'],
    ['2 eggs', '2'],
  ],
  'a separator first': [
    ['.5', '0.5'],
    ['$.99', '0.99'],
    ['-.5', '-0.5'],
    ['Rs.500', '500'],
    ['..5', '5'],
  ],
  'other scripts': [
    ['٣٫٥٪', '3.5'],
    ['١٬٢٩٩٫٠٠', '1299'],
    ['۱۲۳', '123'],
    ['१,२९,९००', '129900'],
    ['１，２９９円', '1299'],
    ['\u200e-5', '-5'],
  ],
}

describe('reading numbers', () => {
  for (const [group, rows] of Object.entries(TABLE)) {
    test.each(rows.map(([value, number]) => [value, number] as const))(`${group}: %j is %s`, (value, number) => {
      expect(read(value)).toBe(number)
    })
  }
})

describe('numbers beyond all bounds', () => {
  test('a number of 400 digits is read, one of 401 is none', () => {
    expect(read('9'.repeat(400))).toBe('9'.repeat(400))
    expect(read('9'.repeat(401))).toBeNull()
    expect(read(`0.${'1'.repeat(400)}`)).toBeNull()
  })

  test('an exponent of 400 is read, one beyond is none', () => {
    expect(read('1e400')).toBe(`1${'0'.repeat(400)}`)
    for (const text of ['1e401', '1e-401', '1e99999', `1e${'9'.repeat(1000)}`]) expect(read(text)).toBeNull()
  })

  test('the smallest and the largest number of JSON are read', () => {
    expect(read(5e-324)).toBe(`0.${'0'.repeat(323)}5`)
    expect(read(Number.MAX_VALUE)).toMatch(/^17976931348623157(0+)$/)
  })

  test.each([
    ['ten million digits', '9'.repeat(10_000_000), null],
    ['a million digits in groups', `1${',000'.repeat(1_000_000)}`, null],
    ['a million spaces', ' '.repeat(1_000_000), null],
    ['a million minus signs', `${'-'.repeat(1_000_000)}5`, '5'],
    ['a million letters before the number', `${'x'.repeat(1_000_000)} $5`, '5'],
    ['a million full stops', '.'.repeat(1_000_000), null],
    ['a million Arabic nines', '٩'.repeat(1_000_000), null],
  ])('%s take less than a tenth of a second', (_, text, number) => {
    const start = process.threadCpuUsage()
    expect(read(text)).toBe(number)
    expect(process.threadCpuUsage(start).user).toBeLessThan(100_000)
  })
})
