import type { Json } from '../../schema/shape/json.ts'
import { type Decimal, decimalOf, decimalOfNumber, MAX_DIGITS } from './decimal.ts'
import { contextOf, type NumberContext } from './number-context.ts'
import { firstToken, type NumberToken, type Separator } from './number-token.ts'

/**
 * The number of characters that are read before the first digit, and from it on: enough for sign and currency, and for
 * the longest number with its separators.
 */
const LOOK_BEHIND = 24
const LOOK_AHEAD = 3 * MAX_DIGITS

/**
 * Returns the number that a value means, as people write numbers. Returns null when it is not a number, or not clearly
 * one; no predicate fires on it then. JSON numbers are read from their shortest decimal text. Of a text with several
 * numbers the first is read. A number of more than 400 digits or with an exponent beyond ±400 is not read. The time is
 * linear in the length of the text before its first digit.
 */
export function readNumber(value: Json): Decimal | null {
  if (typeof value === 'number') return decimalOfNumber(value)
  if (typeof value !== 'string') return null
  const text = near(value)
  const token = text === null ? null : firstToken(text)
  return text === null || token === null ? null : decimalIn(text, token)
}

function decimalIn(text: string, token: NumberToken): Decimal | null {
  const isPlain = token.separators.length === 0 || (token.separators.length === 1 && token.separators[0] === '.')
  const context = contextOf(text.slice(0, token.start), text.slice(token.end), isPlain)
  const parts = context.isBroken ? null : split(token, context)
  if (!parts) return null
  return decimalOf({ ...parts, isNegative: context.isNegative, exponent: context.exponent + context.thousands })
}

/**
 * Returns the text around its first digit, without direction marks, with full-width characters and the digits of all
 * scripts as ASCII.
 */
function near(text: string): string | null {
  const at = text.search(/\p{Nd}/u)
  if (at < 0) return null
  const part = text.slice(Math.max(0, at - LOOK_BEHIND), at + LOOK_AHEAD)
  if (/^[\0-~\u00a0-\u00ff\u20a0-\u20c0]*$/.test(part)) return part
  return part
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCodePoint(wide.charCodeAt(0) - 0xfee0))
    .replace(/[^\0-\x7f]/gu, (char) => (/\p{Nd}/u.test(char) ? digitOf(char) : char))
}

/** Digits come in runs of ten. The character before the zero is not a digit, or it is the nine of another run. */
function digitOf(char: string): string {
  const code = char.codePointAt(0) ?? 0
  let first = code
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1
  return String((code - first) % 10)
}

interface Parts {
  readonly whole: string
  readonly fraction: string
}

/** Decides which separator is the decimal point. Returns null when the groups make no number. */
function split({ groups, separators }: NumberToken, context: NumberContext): Parts | null {
  const [only] = separators
  if (only === undefined) return partsOf(groups)
  if (separators.length > 1) return splitMany(groups, separators)
  const isPoint = only === '٫' || ((only === '.' || only === ',') && isDecimal(only, groups, context))
  return isPoint ? partsOf(groups) : joined(groups, only)
}

/** Reads several separators: either all are the same, or the last one occurs once and is the decimal point. */
function splitMany(groups: readonly string[], separators: readonly Separator[]): Parts | null {
  const mark = separators[0] ?? '.'
  const last = separators.at(-1) ?? mark
  if (!separators.slice(0, -1).every((separator) => separator === mark)) return null
  if (last === mark) return joined(groups, mark)
  const whole = '.,٫'.includes(last) ? joined(groups.slice(0, -1), mark) : null
  return whole && { whole: whole.whole, fraction: groups.at(-1) ?? '' }
}

const partsOf = ([whole = '', fraction = '']: readonly string[]): Parts => ({ whole, fraction })

/** Returns whether the only separator, a dot or a comma, is the decimal point. */
function isDecimal(
  separator: '.' | ',',
  [first = '', second = '']: readonly string[],
  context: NumberContext,
): boolean {
  const mayGroup = second.length === 3 && first.length >= 1 && first.length <= 3 && !first.startsWith('0')
  if (!mayGroup || context.isPercent || context.isPerUnit || context.exponent !== 0) return true
  if (separator === ',') return false
  return context.thousands > 0 || !(context.currency === 'other' || context.isCommaDash)
}

/** Joins groups of three digits, or of the Indian kind: `1,29,900`. */
function joined(groups: readonly string[], mark: Separator): Parts | null {
  const text = groups.join(',')
  const isRegular = /^[1-9]\d{0,2}(?:,\d{3})+$/.test(text) || (mark === ',' && /^[1-9]\d?(?:,\d\d)+,\d{3}$/.test(text))
  return isRegular && mark !== '٫' ? { whole: groups.join(''), fraction: '' } : null
}
