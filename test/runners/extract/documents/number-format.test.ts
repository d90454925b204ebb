import { expect, test } from 'vitest'
import { numberFormat } from '../../../../runners/extract/documents/sheets/number-format.ts'

const shown = (code: string, number: number) => numberFormat(0, code).cell(number, false).shown
const value = (code: string, number: number) => numberFormat(0, code).cell(number, false).value

test.each<[string, number, string]>([
  ['General', 1234.5678, '1234.5678'],
  ['General', 0.1 + 0.2, '0.3'],
  ['General', 4006381333931, '4006381333931'],
  ['General', -123456789012.5, '-123456789012.5'],
  ['General', 1e20, '100000000000000000000'],
  ['0.00', 1.005, '1.01'],
  ['0.00', -1.005, '-1.01'],
  ['0', 0.5, '1'],
  ['0.00', 1e-9, '0.00'],
  ['0.00', 123456789012345680, '123456789012345680.00'],
  ['0;-0;;@', 0, ''],
  ['0;-0;;@', -3, '-3'],
  [';;;', 5, ''],
  ['0.0,', 12345, '12.3'],
  ['#,##0,,"M"', 12345678, '12M'],
  ['000-00-0000', 123456789, '123456789'],
  ['# ?/?', 0.5, '0.5'],
  ['"a;b" 0;-0', 5, 'a;b 5'],
  ['#,##0', 1234567, '1,234,567'],
  ['#,##0.00', -1234.5, '-1,234.50'],
  ['#,##0.00;(#,##0.00)', -5, '(5.00)'],
  ['0.00;-0.00;"free"', 0, 'free'],
  ['0.0%', 0.125, '12.5%'],
  ['"$"#,##0.00', 19.9, '$19.90'],
  ['[$€-407] #,##0.00', 5, '€ 5.00'],
  ['#,##0.00\\ "EUR"', 5, '5.00 EUR'],
  ['_-* #,##0.00_-', 5, '5.00'],
  ['[Red]0', 7, '7'],
  ['000', 7, '007'],
  ['0.##', 1.5, '1.5'],
  ['0.##', 2, '2'],
  ['0.00E+00', 12345, '1.23E+04'],
  ['yyyy-mm-dd', 46356, '2026-11-30'],
  ['d. mmmm yyyy', 46356, '30. November 2026'],
  ['ddd d-mmm-yy', 46356, 'Mon 30-Nov-26'],
  ['h:mm AM/PM', 46356.75, '6:00 PM'],
  ['hh:mm:ss', 0.5, '12:00:00'],
  ['[h]:mm', 1.5, '36:00'],
  ['[h]:mm', 1.9999999999, '48:00'],
  ['[mm]:ss', 0.0625, '90:00'],
  ['mm:ss', 0.0007, '01:00'],
])('the format %s shows %d as %s', (code, number, text) => {
  expect(shown(code, number)).toBe(text)
})

test('a date is a text, a time alone too, and a number is a number', () => {
  expect(value('yyyy', 46356)).toBe('2026-11-30')
  expect(value('hh:mm', 0.25)).toBe('06:00:00')
  expect(value('[h]:mm', 1.5)).toBe('36:00:00')
  expect(value('[mm]:ss', 0.0007)).toBe('00:01:00')
  expect(value('0.00', 1.234)).toBe(1.234)
  // Before the day that never was.
  expect(value('yyyy', 59)).toBe('1900-02-28')
  expect(value('yyyy', 61)).toBe('1900-03-01')
  expect(value('yyyy', -1)).toBe(-1)
})
