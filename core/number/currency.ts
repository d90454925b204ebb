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
