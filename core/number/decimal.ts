/**
 * An exact decimal: `digits` × 10^-`scale`; 12.50 is `{ digits: 1250n, scale: 2 }`, 1e21 may be
 * `{ digits: 1n, scale: -21 }`. Values are compared exactly, never in binary floating point: 0.1 → 0.3 is a rise
 * by 0.2.
 */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/**
 * The greatest number of written digits, and the greatest distance of the exponent from 0. With these bounds all
 * arithmetic here is short.
 */
export const MAX_DIGITS = 400
const MAX_EXPONENT = 400

export const ZERO: Decimal = { digits: 0n, scale: 0 }
export const HUNDRED: Decimal = { digits: 100n, scale: 0 }

/** The parts of a written number: `whole` and `fraction` are runs of ASCII digits, either may be empty. */
interface Written {
  readonly isNegative: boolean
  readonly whole: string
  readonly fraction: string
  readonly exponent: number
}

/** Returns the number of these parts; null beyond the bounds. */
export function decimalOf({ isNegative, whole, fraction, exponent }: Written): Decimal | null {
  if (whole.length + fraction.length > MAX_DIGITS || Math.abs(exponent) > MAX_EXPONENT) return null
  const digits = BigInt(whole + fraction)
  return digits === 0n ? ZERO : { digits: isNegative ? -digits : digits, scale: fraction.length - exponent }
}

/**
 * Returns a JSON number, read from its shortest decimal text: 0.1 is one tenth. Throws for NaN and infinities, which
 * JSON cannot express.
 */
export function decimalOfNumber(value: number): Decimal {
  if (Number.isSafeInteger(value)) return { digits: BigInt(value), scale: 0 }
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value))
  if (!parts) throw new RangeError(`${value} is not a number of JSON`)
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts
  return decimalOf({ isNegative: sign === '-', whole, fraction, exponent: Number(exponent) }) ?? ZERO
}

/** Returns a negative number, 0 or a positive one when `a` is less than, equal to or greater than `b`. */
export function compare(a: Decimal, b: Decimal): number {
  if (a.scale === b.scale) return sign(a.digits - b.digits)
  const scale = Math.max(a.scale, b.scale)
  return sign(atScale(a, scale) - atScale(b, scale))
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { digits: atScale(a, scale) - atScale(b, scale), scale }
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale }
}

export function magnitude(a: Decimal): Decimal {
  return a.digits < 0n ? { digits: -a.digits, scale: a.scale } : a
}

/**
 * Returns plain digits for people, without trailing zeros after the point: `1299`, `-0.05`. At most some 1,200
 * characters.
 */
export function decimalText({ digits, scale }: Decimal): string {
  const isNegative = digits < 0n
  const all = String(isNegative ? -digits : digits)
  if (scale <= 0) return (isNegative ? '-' : '') + (digits === 0n ? '0' : all + '0'.repeat(-scale))
  const padded = all.padStart(scale + 1, '0')
  const fraction = padded.slice(-scale).replace(/0+$/, '')
  return (isNegative ? '-' : '') + padded.slice(0, -scale) + (fraction && `.${fraction}`)
}

const sign = (value: bigint) => (value === 0n ? 0 : value < 0n ? -1 : 1)

const atScale = ({ digits, scale }: Decimal, wanted: number) =>
  scale === wanted ? digits : digits * 10n ** BigInt(wanted - scale)
