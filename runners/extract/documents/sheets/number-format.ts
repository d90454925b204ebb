import { type DateParts, dateOfSerial, isoOf } from './date-of-serial.ts'

/** A format of numbers, as a spreadsheet names it. */
export interface NumberFormat {
  readonly isDate: boolean
  /** Returns the value that a number has by it, and how it is shown. */
  cell(number: number, is1904: boolean): { readonly value: string | number; readonly shown: string }
}

/** The formats that a file need not write down. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  37: '#,##0',
  38: '#,##0',
  39: '#,##0.00',
  40: '#,##0.00',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
}

const TOKEN = /"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|AM\/PM|A\/P|[ymdhs]+|General|[0#?]+(?:,[0#?]+)*(?:\.[0#?]*)?|E[+-]|./gi
const kinds = new Map<string, NumberFormat>()

/** Returns the format of a number in the list of formats; `code` is what the file writes for it. */
export function numberFormat(id: number, code: string | undefined): NumberFormat {
  const written = code ?? BUILT_IN[id] ?? 'General'
  const known = kinds.get(written)
  if (known !== undefined) return known
  const format = compile(written)
  if (kinds.size < 1_000) kinds.set(written, format)
  return format
}

function compile(code: string): NumberFormat {
  const sections = sectionsOf(code).map((section) => section.match(TOKEN) ?? [])
  const [first = []] = sections
  if (first.some(isDateToken)) return { isDate: true, cell: (number, is1904) => dateCell(first, number, is1904) }
  const isGeneral = code === 'General' || code === '@' || code === ''
  return {
    isDate: false,
    cell: (number) => ({ value: number, shown: isGeneral ? generalText(number) : bySection(sections, number) }),
  }
}

/**
 * Semicolons divide a format into those of positive numbers, negative ones, zero and texts, but for those in quotes.
 * One that is empty shows nothing.
 */
function sectionsOf(code: string): string[] {
  const parts = ['']
  for (const token of code.match(/"[^"]*"|[\\_*].|[^]/g) ?? [])
    if (token === ';') parts.push('')
    else parts.push(`${parts.pop() ?? ''}${token}`)
  return parts.slice(0, 3)
}

const isDateToken = (token: string) => /^[ymdhs]+$/i.test(token) || isElapsed(token)

/** As programs for tables show a number that has no format in a wide cell: no digit before the point is rounded. */
function generalText(number: number): string {
  if (Number.isInteger(number) && Math.abs(number) < 1e15) return String(number)
  const text = String(Number(number.toPrecision(Math.abs(number) < 1e10 ? 10 : 15)))
  return text.includes('e') ? text.toUpperCase() : text
}

function bySection(sections: readonly (readonly string[])[], number: number): string {
  const [positive = [], negative, zero] = sections
  if (number === 0 && zero) return written(zero, 0)
  if (number < 0 && negative) return written(negative, -number)
  const text = written(positive, Math.abs(number))
  // A negative number that is rounded to zero has no sign.
  return number < 0 && /[1-9]/.test(text) ? `-${text}` : text
}

function written(tokens: readonly string[], number: number): string {
  const at = tokens.findIndex(isDigits)
  const exponent = tokens.findIndex((token) => /^E[+-]$/i.test(token))
  // Fractions, and digits that are divided as those of a telephone number.
  if (exponent < 0 && tokens.findLastIndex(isDigits) > at) return generalText(number)
  const scaled = (tokens.includes('%') ? number * 100 : number) / 1_000 ** commasBehind(tokens, at)
  return tokens
    .map((token, index) => {
      if (token === 'General') return generalText(scaled)
      if (exponent > 0 && index >= at && index <= exponent + 1)
        return index === at ? scientific(tokens[at] ?? '', scaled) : ''
      if (isDigits(token)) return index === at ? digits(token, scaled) : ''
      return literal(token)
    })
    .join('')
    .trim()
}

const isDigits = (token: string) => /^[0#?]/.test(token)

/** Each comma behind the digits is one for thousands. */
function commasBehind(tokens: readonly string[], at: number): number {
  let count = 0
  while (at >= 0 && tokens[at + 1 + count] === ',') count += 1
  return count
}

/** `_x` is a space as wide as `x`, `*x` fills the cell; a currency stands in brackets: `[$€-407]`. */
function literal(token: string): string {
  if (token.startsWith('"')) return token.slice(1, -1)
  if (token.startsWith('\\')) return token.slice(1)
  if (token.startsWith('[')) return /^\[\$([^\]-]*)/.exec(token)?.[1] ?? ''
  if (/^[_*]./.test(token)) return token.startsWith('_') ? ' ' : ''
  return token === ',' ? '' : token
}

function digits(token: string, number: number): string {
  const [whole = '', fraction = ''] = token.split('.')
  const needed = (fraction.match(/0/g) ?? []).length
  const text = rounded(number, Math.min(fraction.length, 20))
  const [before = '', after = ''] = text.split('.')
  const least = (whole.match(/0/g) ?? []).length
  const padded = (least === 0 && before === '0' ? '' : before).padStart(least, '0')
  const grouped = whole.includes(',') ? padded.replace(/\B(?=(?:\d{3})+$)/g, ',') : padded
  let kept = after
  while (kept.length > needed && kept.endsWith('0')) kept = kept.slice(0, -1)
  return kept === '' ? grouped : `${grouped}.${kept}`
}

/** Rounds the fifteen digits that programs for tables keep, so that 1.005 becomes 1.01. */
function rounded(number: number, places: number): string {
  const [mantissa = '', power = ''] = number.toPrecision(15).split('e')
  const moved = Math.round(Number(`${mantissa}e${Number(power) + places}`))
  return Number.isSafeInteger(moved) ? Number(`${moved}e-${places}`).toFixed(places) : number.toFixed(places)
}

function scientific(token: string, number: number): string {
  const [mantissa = '', power = '+0'] = number
    .toExponential(Math.min((token.split('.')[1] ?? '').length, 20))
    .split('e')
  const sign = power.startsWith('-') ? '-' : '+'
  return `${mantissa}E${sign}${power.slice(1).padStart(2, '0')}`
}

const isElapsed = (token: string) => /^\[[hms]+\]$/i.test(token)
const secondsOf = (serial: number) => Math.round(serial * 86_400)

/** Hours, which may be more than 24, minutes and seconds. */
function elapsedText(serial: number): string {
  const seconds = secondsOf(serial)
  return [seconds / 3_600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':')
}

function dateCell(tokens: readonly string[], serial: number, is1904: boolean) {
  const date = dateOfSerial(serial, is1904)
  if (date === null) return { value: serial, shown: generalText(serial) }
  const isTwelve = tokens.some((token) => /^(?:AM\/PM|A\/P)$/i.test(token))
  const shown = tokens.map((token, at) =>
    isDateToken(token)
      ? datePart(token.toLowerCase(), date, { isTwelve, isMinute: isMinute(tokens, at), serial })
      : /^(?:AM\/PM|A\/P)$/i.test(token)
        ? date.hours < 12
          ? 'AM'
          : 'PM'
        : literal(token),
  )
  const value = tokens.some(isElapsed) ? elapsedText(serial) : isoOf(date, serial)
  return { value, shown: shown.join('').trim() }
}

/** `m` is a minute behind hours and before seconds. */
function isMinute(tokens: readonly string[], at: number): boolean {
  const before = tokens.slice(0, at).findLast(isDateToken)
  const after = tokens.slice(at + 1).find(isDateToken)
  return /h/i.test(before ?? '') || /s/i.test(after ?? '')
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

interface PartContext {
  readonly isTwelve: boolean
  readonly isMinute: boolean
  readonly serial: number
}

function datePart(token: string, date: DateParts, { isTwelve, isMinute: minutes, serial }: PartContext): string {
  const two = (number: number) => String(number).padStart(token.length >= 2 ? 2 : 1, '0')
  const named = (names: readonly string[], at: number) =>
    token.length === 3 ? (names[at] ?? '').slice(0, 3) : (names[at] ?? '')
  switch (token[0]) {
    case '[':
      return String(Math.floor(secondsOf(serial) / (token.includes('h') ? 3_600 : token.includes('m') ? 60 : 1)))
    case 'y':
      return token.length <= 2 ? String(date.year % 100).padStart(2, '0') : String(date.year)
    case 'd':
      return token.length <= 2 ? two(date.day) : named(DAYS, date.weekday)
    case 'h':
      return two(isTwelve ? date.hours % 12 || 12 : date.hours)
    case 's':
      return two(date.seconds)
    default:
      if (minutes) return two(date.minutes)
      return token.length <= 2 ? two(date.month) : named(MONTHS, date.month - 1)
  }
}
