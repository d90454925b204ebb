import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffValues } from '../../../../core/diff/diff-values.ts'
import { decimalText } from '../../../../core/number/decimal.ts'
import { readNumber } from '../../../../core/number/read-number.ts'
import { fires } from '../../../../core/predicate/fires.ts'
import { extract } from '../../../../runners/extract/extract.ts'
import { fitsDouble } from '../../../../runners/extract/json/number-text.ts'
import { parseJson } from '../../../../runners/extract/json/parse-json.ts'
import type { Json } from '../../../../schema/shape/json.ts'
import { one, page, values } from '../pages.ts'

const kept = (text: string) => parseJson(text).exact
const answer = (text: string) => page(text, 'application/json')
const NO_MATCH = () => false

/** A number as text, with its value as a fraction of two integers: digits × 10^power. */
const written = fc
  .record({
    digits: fc.bigInt({ min: 1n, max: 10n ** 24n }),
    point: fc.nat(30),
    power: fc.integer({ min: -330, max: 330 }),
  })
  .map(({ digits, point, power }) => {
    const all = String(digits).padStart(point + 1, '0')
    const number = point === 0 ? all : `${all.slice(0, -point)}.${all.slice(-point)}`
    return { text: power === 0 ? number : `${number}e${power}`, digits, power: power - point }
  })

/** Whether two numbers, each an integer times a power of ten, are the same: without any floating point. */
function isSame(one: bigint, onePower: number, other: bigint, otherPower: number): boolean {
  const least = Math.min(onePower, otherPower)
  return one * 10n ** BigInt(onePower - least) === other * 10n ** BigInt(otherPower - least)
}

function heldExactly({ text, digits, power }: { text: string; digits: bigint; power: number }): boolean {
  const value = Number(text)
  if (!Number.isFinite(value) || value === 0) return false
  const significant = String(digits).replace(/0+$/, '')
  if (power + String(digits).length - significant.length < 0 && significant.length <= 17) return true
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return isSame(digits, power, BigInt(whole + fraction), Number(exponent) - fraction.length)
}

describe('a number of a JSON page', () => {
  test.each([
    '9007199254740993',
    '-9007199254740993',
    '10000000000000000001',
    '123456789.0123456789',
    '0.300000000000000011',
    '1e400',
    '-1E+400',
    '1e0400',
    '1e-400',
    '9007199254740993.0',
  ])('that a double cannot hold (%s) is text as it was written, wherever it stands', (token) => {
    expect(kept(token)).toBe(token)
    expect(kept(`{"a":[1,{"b":${token}}],"c":${token} }`)).toEqual({ a: [1, { b: token }], c: token })
  })

  test.each([
    '0',
    '-0',
    '1.0',
    '1e3',
    '0.30000000000000004',
    '0.10000000000000001',
    '-1.2345678901234567',
    '9007199254740992',
    '1e22',
    '100000000000000000000',
    '0e999',
    '1e308',
    '5e-324',
    '0.10000000000000000000',
    '1234567890.12345',
  ])('that a double holds (%s) stays a number', (token) => {
    expect(kept(`[${token}]`)).toEqual([Number(token)])
  })

  test(
    'is text exactly when its decimal value is not that of the double’s shortest text, but for fractions of 17 ' +
      'digits.',
    () => {
      fc.assert(
        fc.property(written, (number) => {
          expect(fitsDouble(number.text)).toBe(heldExactly(number))
          expect(kept(`[${number.text}]`)).toEqual([heldExactly(number) ? Number(number.text) : number.text])
        }),
        { numRuns: 1_000 },
      )
    },
  )

  test('all JSON of numbers that doubles hold is what JSON.parse makes of it, in the very same object', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const { plain, exact } = parseJson(text)
        expect(exact).toBe(plain)
        expect(exact).toEqual(JSON.parse(text))
      }),
    )
  })

  test('texts, keys and their order are left alone beside one; so is a key named __proto__', () => {
    const text = '{"b":"9007199254740993, 1e400","9007199254740993":1,"a":[],"__proto__":{"x":1e400},"n":1e400}'
    const expected = text.replaceAll(':1e400', ':"1e400"')
    expect(JSON.stringify(kept(text))).toBe(JSON.stringify(JSON.parse(expected)))
  })
})

describe('json_path', () => {
  const ITEMS = answer('{"items":[{"id":9007199254740993,"n":1},{"id":9007199254740992,"n":2},{"id":1e400,"n":3}]}')

  test('gives such a number as text: itself, of a list, within an object, from the end', () => {
    expect(one(ITEMS, 'json_path', '$.items[0].id')).toBe('9007199254740993')
    expect(one(ITEMS, 'json_path', '$.items[-1]')).toEqual({ id: '1e400', n: 3 })
    expect(one(ITEMS, 'json_path', '$..id')).toEqual(['9007199254740993', 9007199254740992, '1e400'])
    expect(one(ITEMS, 'json_path', '$.items[0].none')).toBeNull()
  })

  test('compares them in filters as the doubles that they were', () => {
    expect(one(ITEMS, 'json_path', '$.items[?@.id == 9007199254740993].n')).toEqual([1, 2])
    expect(one(ITEMS, 'json_path', '$.items[?@.id > 9007199254740993].id')).toEqual(['1e400'])
  })
})

describe('full_page', () => {
  const hash = (text: string) => values(extract(answer(text), { method: 'full_page' }))['content_hash']

  test.each([
    ['9007199254740992', '9007199254740993'],
    ['1e400', '1e500'],
    ['1e-400', '1e-500'],
  ])('%s → %s is a change', (before, after) => {
    expect(hash(`[${before}]`)).not.toBe(hash(`[${after}]`))
  })

  test('1e3 and 1000 are the same; what is no JSON is hashed as it came', () => {
    expect(hash('[1e3]')).toBe(hash('[1000]'))
    expect(hash('[1.2.3]')).not.toBe(hash('[1.2.3 ]'))
  })
})

describe('a predicate on such a number', () => {
  const judged = (before: Json, after: Json) => {
    const [from, to] = [{ it: before }, { it: after }]
    return { diff: diffValues(from, to, ['it']), before: from, after: to }
  }
  const rises = (from: string, to: string, threshold: number) => {
    const by = { type: 'field_increases_by_absolute', field: 'it', threshold } as const
    return fires(by, judged(kept(from), kept(to)), NO_MATCH)
  }

  test('reads it exactly: 9007199254740993 is 1 more than …992, and not 2', () => {
    expect(rises('9007199254740992', '9007199254740993', 1)).toBe(true)
    expect(rises('9007199254740992', '9007199254740993', 2)).toBe(false)
    expect(rises('9007199254740995', '9007199254740993', 1)).toBe(false)
    expect(rises('1e399', '1e400', 1)).toBe(true)
  })

  test('does not fire where the number is beyond all reading', () => {
    expect(rises('1', '1e401', 1)).toBe(false)
  })

  test('sees the number that was written, whatever its digits', () => {
    fc.assert(
      fc.property(written, ({ text, digits, power }) => {
        const read = readNumber(text)
        if (read === null) throw new Error(`${text} is not read`)
        expect(isSame(digits, power, read.digits, -read.scale), `${text} as ${decimalText(read)}`).toBe(true)
      }),
    )
  })
})
