import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compare, decimalOfNumber } from '../../../core/number/decimal.ts'
import { readNumber } from '../../../core/number/read-number.ts'

/** Where people write numbers, each with its currency. */
const LOCALES = {
  'ar-EG': 'EGP',
  'bg-BG': 'BGN',
  'bn-BD': 'BDT',
  'cs-CZ': 'CZK',
  'da-DK': 'DKK',
  'de-AT': 'EUR',
  'de-CH': 'CHF',
  'de-DE': 'EUR',
  'en-AU': 'AUD',
  'en-CA': 'CAD',
  'en-GB': 'GBP',
  'en-IN': 'INR',
  'en-US': 'USD',
  'en-ZA': 'ZAR',
  'es-AR': 'ARS',
  'es-ES': 'EUR',
  'es-MX': 'MXN',
  'fa-IR': 'IRR',
  'fi-FI': 'EUR',
  'fr-CA': 'CAD',
  'fr-CH': 'CHF',
  'fr-FR': 'EUR',
  'he-IL': 'ILS',
  'hi-IN': 'INR',
  'hu-HU': 'HUF',
  'id-ID': 'IDR',
  'it-IT': 'EUR',
  'ja-JP': 'JPY',
  'ko-KR': 'KRW',
  'mr-IN': 'INR',
  'nb-NO': 'NOK',
  'ne-NP': 'NPR',
  'nl-NL': 'EUR',
  'pl-PL': 'PLN',
  'pt-BR': 'BRL',
  'pt-PT': 'EUR',
  'ro-RO': 'RON',
  'ru-RU': 'RUB',
  'sv-SE': 'SEK',
  'th-TH': 'THB',
  'tr-TR': 'TRY',
  'uk-UA': 'UAH',
  'vi-VN': 'VND',
  'zh-CN': 'CNY',
}

const isRead = (text: string, value: number) => {
  const number = readNumber(text)
  return number !== null && compare(number, decimalOfNumber(value)) === 0
}

/** Amounts with two decimals, up to a hundred million. */
const cents = fc.integer({ min: -9_999_999_999, max: 9_999_999_999 }).map((amount) => amount / 100)

describe.each(Object.entries(LOCALES))('in %s', (locale, currency) => {
  const wayOf = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options)
  const check = (values: fc.Arbitrary<number>, way: Intl.NumberFormat) =>
    fc.assert(
      fc.property(values, (value) => {
        expect([way.format(value), isRead(way.format(value), value)]).toEqual([way.format(value), true])
      }),
      { numRuns: 60 },
    )

  test('every amount of money with two decimals is read back', () => {
    for (const currencyDisplay of ['symbol', 'narrowSymbol', 'code'] as const)
      check(cents, wayOf({ style: 'currency', currency, currencyDisplay, minimumFractionDigits: 2 }))
  })

  test('every plain number with two decimals is read back', () => {
    check(cents, wayOf({ minimumFractionDigits: 2 }))
  })

  test('every percentage with one decimal is read back', () => {
    const way = wayOf({ style: 'percent', minimumFractionDigits: 1 })
    fc.assert(
      fc.property(fc.integer({ min: -9999, max: 9999 }), (tenths) => {
        expect([way.format(tenths / 1000), isRead(way.format(tenths / 1000), tenths / 10)]).toEqual([
          way.format(tenths / 1000),
          true,
        ])
      }),
      { numRuns: 60 },
    )
  })

  test('a whole number of millions is read back', () => {
    check(fc.integer({ min: 1_000_000, max: 999_999_999 }), wayOf({ maximumFractionDigits: 0 }))
  })
})
