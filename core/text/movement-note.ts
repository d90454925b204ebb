import type { Json } from '../../schema/shape/json.ts'
import { namesMoney } from '../number/currency.ts'
import { compare, type Decimal, magnitude, subtract, decimalText } from '../number/decimal.ts'
import { readNumber } from '../number/read-number.ts'

/** Longer text is prose that happens to contain a number. */
const MAX_CHARACTERS = 32
const COUNT = new Intl.NumberFormat('en')

/**
 * Returns how far a number moved, for the reader of a message: `−12.5 %`, `+0.9 points` between percentages, `+3` from
 * zero. Returns null where the two values are not quantities of the same kind. They are when each is a number with at
 * most a sign and a currency in front of it (`$`, `CHF `), both have the same words around it, and a currency or a
 * percent sign is among them. Any other number may be a version, a rank or a year: it is a quantity where `isNumeric`
 * says that the monitor's predicate reads it as one.
 */
export function movementNote(before: Json, after: Json, isNumeric: boolean): string | null {
  const frame = frameOf(before)
  if (frame === null || frame !== frameOf(after)) return null
  if (!isNumeric && !frame.includes('%') && !(isMoney(before) && isMoney(after))) return null
  const from = readNumber(before)
  const to = readNumber(after)
  if (from === null || to === null || compare(from, to) === 0) return null
  const distance = magnitude(subtract(to, from))
  const sign = compare(to, from) > 0 ? '+' : '−'
  if (frame.includes('%')) return `${sign}${decimalText(distance)} points`
  if (from.digits === 0n) return `${sign}${decimalText(distance)}`
  return percentText(sign, distance, magnitude(from))
}

/** Returns the number that a value is, as a plot has it; null when it does not look like one number. */
export function plottedNumber(value: Json): number | null {
  const read = frameOf(value) === null ? null : readNumber(value)
  const number = read === null ? NaN : Number(decimalText(read))
  return Number.isFinite(number) ? number : null
}

/**
 * Returns by how many percent an amount moved, with at most two decimals. Null where the two values are not amounts of
 * the same kind: numbers of JSON, or of the same currency.
 */
export function percentMoved(before: Json, after: Json): number | null {
  const frame = frameOf(before)
  if (frame === null || frame !== frameOf(after) || frame.includes('%')) return null
  if (typeof before === 'string' && !(isMoney(before) && isMoney(after))) return null
  const [from, to] = [plottedNumber(before), plottedNumber(after)]
  if (from === null || to === null || from === 0) return null
  const percent = Math.round(((to - from) / Math.abs(from)) * 10_000) / 100
  return Number.isFinite(percent) ? percent : null
}

const isMoney = (value: Json) => typeof value === 'string' && namesMoney(value)

/** Returns the text around the digits; null when the value does not look like a number. */
function frameOf(value: Json): string | null {
  if (typeof value === 'number') return ''
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (text.length > MAX_CHARACTERS || !/^(?:Rs\.?\s?|[^\p{Ll}\p{Lo}\p{Nd}]{0,5})\p{Nd}/u.test(text)) return null
  const digitRuns = text.match(/\p{Nd}[\p{Nd}.,'’٫٬\s]*/gu) ?? []
  return digitRuns.length === 1 ? text.replace(/[\p{Nd}.,'’٫٬\s+−-]+/gu, '') : null
}

/** Writes a percentage, with one decimal below 100 percent. */
function percentText(sign: string, distance: Decimal, of: Decimal): string {
  const scale = Math.max(distance.scale, of.scale)
  const tenths = rounded(
    1000n * distance.digits * 10n ** BigInt(scale - distance.scale),
    of.digits * 10n ** BigInt(scale - of.scale),
  )
  if (tenths === 0n) return `less than ${sign}0.1 %`
  if (tenths >= 1000n) return `${sign}${COUNT.format(rounded(tenths, 10n))} %`
  return `${sign}${decimalText({ digits: tenths, scale: 1 })} %`
}

const rounded = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor)
