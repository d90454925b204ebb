import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compare,
  type Decimal,
  decimalOf,
  decimalOfNumber,
  decimalText,
  magnitude,
  multiply,
  subtract,
  ZERO,
} from '../../../core/number/decimal.ts'

const decimals = fc.record({
  digits: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  scale: fc.integer({ min: -40, max: 40 }),
})

const of = (text: string): Decimal => {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d*)\.?(\d*)$/.exec(text) ?? []
  return decimalOf({ isNegative: sign === '-', whole, fraction, exponent: 0 }) ?? ZERO
}

describe('decimals', () => {
  test('0.3 less 0.1 is exactly 0.2', () => {
    expect(compare(subtract(decimalOfNumber(0.3), decimalOfNumber(0.1)), decimalOfNumber(0.2))).toBe(0)
  })

  test('every number of JSON is read as its shortest decimal text', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const { digits, scale } = decimalOfNumber(value)
        expect(Number(`${digits}e${-scale}`)).toBe(value + 0)
      }),
    )
  })

  test('what JSON cannot carry is refused as a fault of the caller', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) expect(() => decimalOfNumber(value)).toThrow(RangeError)
  })

  test('the order of numbers is that of their decimals', () => {
    const numbers = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer())
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(compare(decimalOfNumber(a), decimalOfNumber(b))).toBe(
          Math.sign(a - b || Number(a > b) - Number(a < b)) + 0,
        )
      }),
    )
  })

  test('a difference added again gives the number, and comparing is subtracting', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const difference = subtract(a, b)
        expect(compare(subtract(difference, a), subtract(ZERO, b))).toBe(0)
        expect(compare(a, b)).toBe(difference.digits === 0n ? 0 : difference.digits > 0n ? 1 : -1)
      }),
    )
  })

  test('multiplying commutes and distributes over a difference', () => {
    fc.assert(
      fc.property(decimals, decimals, decimals, (a, b, c) => {
        expect(compare(multiply(a, b), multiply(b, a))).toBe(0)
        expect(compare(multiply(a, subtract(b, c)), subtract(multiply(a, b), multiply(a, c)))).toBe(0)
      }),
    )
  })

  test('a magnitude is never below zero and keeps the distance from it', () => {
    fc.assert(
      fc.property(decimals, (a) => {
        expect(compare(magnitude(a), ZERO)).toBeGreaterThanOrEqual(0)
        expect(compare(multiply(a, a), multiply(magnitude(a), magnitude(a)))).toBe(0)
      }),
    )
  })

  test('the extremes of the bounds are compared, subtracted and multiplied at once', () => {
    const large = decimalOf({ isNegative: false, whole: '9'.repeat(400), fraction: '', exponent: 400 }) ?? ZERO
    const small = decimalOf({ isNegative: true, whole: '', fraction: '9'.repeat(400), exponent: -400 }) ?? ZERO
    const start = process.threadCpuUsage()
    for (let i = 0; i < 100; i++) {
      expect(compare(large, small)).toBe(1)
      expect(compare(multiply(subtract(large, small), large), multiply(small, large))).toBe(1)
    }
    expect(process.threadCpuUsage(start).user).toBeLessThan(200_000)
  })

  test.each([
    ['0', '0'],
    ['-0.00', '0'],
    ['1299.00', '1299'],
    ['0.050', '0.05'],
    ['-12.5', '-12.5'],
    ['.5', '0.5'],
  ])('%s is shown as %s', (text, shown) => {
    expect(decimalText(of(text))).toBe(shown)
  })

  test('a negative scale is shown with its zeros', () => {
    expect(decimalText({ digits: -12n, scale: -3 })).toBe('-12000')
    expect(decimalText({ digits: 0n, scale: -3 })).toBe('0')
  })
})
