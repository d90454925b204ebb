/**
 * Currencies, as far as the reading of a number depends on them: beside a dollar, pound or yen sign a dot is a decimal
 * point.
 */

/** Codes of dollars, pounds and yen, yuan included. Their users write a decimal point. */
const POINT_CODES = new Set(
  'USD AUD CAD NZD HKD SGD TWD BBD BSD BZD FJD JMD TTD XCD MXN GBP GIP FKP EGP JPY CNY RMB CNH'.split(' '),
)

/** Other codes (ISO 4217), in capitals only: some of them are words in small letters. */
const OTHER_CODES = new Set(
  (
    'AED ALL AMD ANG AOA ARS AZN BAM BDT BGN BHD BIF BOB BRL BWP BYN CDF CHF CLP COP CRC CUP CVE CZK DJF DKK DOP ' +
    'DZD ERN ETB EUR GEL GHS ' +
    'GMD GNF GTQ HNL HRK HUF IDR ILS INR IQD IRR ISK JOD KES KGS KHR KMF KRW KWD KZT LAK LBP LKR LSL LYD MAD MDL ' +
    'MGA MKD MMK MNT MOP ' +
    'MRU MUR MVR MWK MYR MZN NGN NIO NOK NPR OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SCR SDG SEK ' +
    'SOS SYP SZL THB TJS ' +
    'TMT TND TOP TRY TZS UAH UGX UYU UZS VES VND XAF XOF XPF YER ZAR ZMW'
  ).split(' '),
)

/** Words and abbreviations that people write instead of a code, in small letters. */
const OTHER_WORDS = new Set(
  (
    'eur euro euros kr kč kc kčs zł zl ft huf lei leu lv лв лева руб р грн din дин ден tl rs re fr sfr frs rp rm ' +
    'r q dh dhs kn ' +
    'đ vnđ vnd ден sek nok dkk isk chf czk pln inr brl idr ' +
    'ریال تومان رو नेरू रू रु ৳'
  ).split(' '),
)

/** Letters that make a `$` after them a peso or a real. */
const COMMA_DOLLARS = new Set(['R', 'AR', 'ARS', 'CL', 'CLP', 'COL', 'COP', 'UYU', 'U'])

export type CurrencyKind = 'point' | 'other'

/**
 * Returns the kind of currency that the text names by a sign, a code, or a word with or without a full stop; null when
 * it is not a currency.
 */
export function currencyKind(text: string): CurrencyKind | null {
  const dollar = /^(\p{L}*)[$＄﹩]$/u.exec(text)
  if (dollar) return COMMA_DOLLARS.has(dollar[1] ?? '') ? 'other' : 'point'
  if (/^\p{L}*[£¥￥¢]$/u.test(text)) return 'point'
  if (/^\p{L}*\p{Sc}$/u.test(text)) return 'other'
  const word = text.replace(/\.$/, '')
  if (POINT_CODES.has(word)) return 'point'
  return OTHER_CODES.has(word) || OTHER_WORDS.has(word.toLowerCase()) ? 'other' : null
}

/** Codes that are also a quarter (`Q1`), a rank (`TOP 5`), a count (`ALL 12`) or a thing. */
const NEEDS_CENTS = new Set(['Q', 'TOP', 'ALL', 'MOP'])
/** Signs that people write in capitals in front of a price, with a space: `R 950`. */
const SPACED = new Set(['R', 'RM', 'RS', 'RP', 'KR'])

/** How the number beside a word is written. */
interface Written {
  readonly hasCents: boolean
  readonly hasThousands: boolean
}

/**
 * Returns whether a text with one number names a currency beside it. Some signs are more often something else: `R1.2`
 * is a version, `Q1` a quarter, `LV 3` a level, `DIN 912` a standard. They count only beside a number that is written
 * as a price is.
 */
export function namesMoney(text: string): boolean {
  const number = /\p{Nd}[\p{Nd}.,'’٫٬\s]*/u.exec(text)
  if (number === null) return false
  const digits = number[0].trimEnd()
  const written = {
    hasCents: /[.,٫]\s?\p{Nd}{2}$/u.test(digits),
    hasThousands: /\p{Nd}[.,'’٬\s]\p{Nd}{3}(?!\p{Nd})/u.test(digits),
  }
  const front = text.slice(0, number.index)
  const isSpaced = /\s$/u.test(front)
  return (
    wordsOf(front).some((word) => isMoneyInFront(word, written, isSpaced)) ||
    wordsOf(text.slice(number.index + number[0].length)).some((word) => isMoneyBehind(word, written))
  )
}

const wordsOf = (text: string) =>
  text.split(/[^\p{L}\p{M}\p{Sc}.]+/u).filter((word) => isSign(word) || currencyKind(word) !== null)
const nameOf = (word: string) => word.replace(/\.$/, '')
const isSign = (word: string) => /\p{Sc}/u.test(word)

function isMoneyInFront(word: string, written: Written, isSpaced: boolean): boolean {
  const name = nameOf(word)
  if (NEEDS_CENTS.has(name)) return written.hasCents
  if (isSign(word) || POINT_CODES.has(name) || OTHER_CODES.has(name)) return true
  // `Rs` and `Kč` are not written so for anything else.
  const isClear = name !== name.toUpperCase() || !/^\p{Script=Latin}+$/u.test(name)
  return isClear || written.hasCents || written.hasThousands || (isSpaced && SPACED.has(name))
}

/** Behind a number, a longer word is its unit. */
function isMoneyBehind(word: string, written: Written): boolean {
  const name = nameOf(word)
  if (NEEDS_CENTS.has(name.toUpperCase())) return NEEDS_CENTS.has(name) && written.hasCents
  return !/^r$/i.test(name) || written.hasCents || written.hasThousands
}
