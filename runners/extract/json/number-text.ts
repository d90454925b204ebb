/** Digits that every double keeps, and exponents within which it keeps them. */
const SAFE_DIGITS = 15
/** A double's shortest decimal has at most this many digits. */
const MAX_DIGITS = 17
const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * Returns whether a double represents the number of a JSON token: its shortest decimal text is the same number. That is
 * true for 0.30000000000000004, 1.0 and 1e3. It is false for 9007199254740993 (it would become …992), 1e400 (infinity)
 * and 1e-400 (0). A fraction of up to 17 digits counts as represented: some programs print a double so (`%.17g`), and
 * 0.10000000000000001 is their 0.1.
 */
export function fitsDouble(token: string): boolean {
  const value = Number(token)
  if (!Number.isFinite(value)) return false
  if (token.length <= SAFE_DIGITS && !/[eE]/.test(token)) return true
  const written = decimalOf(token)
  if (value !== 0 && written.power < 0 && written.digits.length <= MAX_DIGITS) return true
  const represented = decimalOf(String(value))
  return written.digits === represented.digits && written.power === represented.power
}

/**
 * Returns a number as digits without surrounding zeros, times a power of ten; 0 has no digits. The sign is not
 * compared.
 */
function decimalOf(token: string): { readonly digits: string; readonly power: number } {
  const [, whole = '', fraction = '', exponent = '0'] = PARTS.exec(token) ?? []
  const all = whole + fraction
  const first = all.search(/[1-9]/)
  if (first < 0) return { digits: '', power: 0 }
  let end = all.length
  while (all.charCodeAt(end - 1) === 48) end -= 1
  // One digit more than a double has is enough to tell two numbers apart.
  const digits = all.slice(first, Math.min(end, first + MAX_DIGITS + 1))
  return { digits, power: Number(exponent) - fraction.length + (all.length - end) }
}
