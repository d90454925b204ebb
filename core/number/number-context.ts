import { currencyKind, type CurrencyKind } from './currency.ts'

/** The text around a number that decides how to read it. */
export interface NumberContext {
  readonly isNegative: boolean
  readonly isPercent: boolean
  /** A price for a measure: `/kg`, `/100 g`. A time is not a measure: `$1,299/mo` is a rent of more than a thousand. */
  readonly isPerUnit: boolean
  /** `1.299,-`: the comma is the decimal mark here. */
  readonly isCommaDash: boolean
  /** The currency beside the number. When there are two, the one that is not a dollar. */
  readonly currency: CurrencyKind | null
  /** The power of ten after `e`. */
  readonly exponent: number
  /** 0, 3 (k) or 6 (M). */
  readonly thousands: 0 | 3 | 6
  /** A vulgar fraction follows: `1½`. */
  readonly isBroken: boolean
}

const SIGN = '[-+−–﹣－]'
/** A currency or percent sign before the number: `€`, `US$`, `CHF`, `kr.`, `%`. */
const MARK = '(?:\\p{L}{0,4}[\\p{Sc}%٪]|[\\p{L}\\p{M}]{1,6}\\.?)'
const SIGN_LAST = new RegExp(`(${SIGN})$`, 'u')
const MARK_LAST = new RegExp(`(${MARK})\\s?$`, 'u')
/**
 * What may come before a sign. After a letter or a digit the sign is a hyphen (`SKU-5`, `TOP-5`), except after these
 * few (`CHF-5.00`).
 */
const SIGN_MAY_STAND = /(?:^|[^\p{L}\p{N}\-−–]|(?:^|[^\p{L}])(?:CHF|EUR|USD|GBP|kr))$/u

const TIMES = new Set(
  (
    'mo mos month months mth pm yr yrs year years y annum wk week weeks w day days d night nights hr hrs hour hours ' +
    'h min s sec mes mois mese monat jahr tag woche nacht stunde an año ano dia día noche nuit jour maand jaar dag ' +
    'månad måned år nacht noc měsíc'
  ).split(' '),
)

/**
 * Returns the context of the number between `before` and `after`. `isPlain`: it has no thousands separators, so that an
 * exponent may follow.
 */
export function contextOf(before: string, after: string, isPlain: boolean): NumberContext {
  const front = frontOf(before)
  const behind = /^\s?(?:[.,][-–—−]\s?)?(\p{L}{0,4}\p{Sc}|[\p{L}\p{M}]{1,6}\.?)/u.exec(after)?.[1] ?? ''
  const exponent = isPlain && !/\p{L}$/u.test(before) ? /^e([+-]?\d+)(?![\p{L}\p{N}.])/iu.exec(after)?.[1] : undefined
  const letter = /^\s?([kKM])(?![\p{L}\p{N}])/u.exec(after)?.[1]
  return {
    isNegative: front.isNegative,
    isPercent: front.isPercent || /^\s?[%‰٪]/.test(after),
    isPerUnit: isPerUnit(after),
    isCommaDash: /^,[-–—−]/.test(after),
    currency: otherFirst(front.currency, currencyKind(behind)),
    exponent: Number(exponent ?? 0),
    thousands: letter === undefined ? 0 : letter === 'M' ? 6 : 3,
    isBroken: /^\s?[¼-¾⅐-⅞↉]/.test(after),
  }
}

function otherFirst(one: CurrencyKind | null, two: CurrencyKind | null): CurrencyKind | null {
  return one === 'other' || two === 'other' ? 'other' : (one ?? two)
}

/** Reads sign and mark before the number, in either order: `-€5`, `€ -5`, `-CHF 5`, `CHF-5`, `−%5`. */
function frontOf(before: string): { isNegative: boolean; isPercent: boolean; currency: CurrencyKind | null } {
  const inner = SIGN_LAST.exec(before)?.[1]
  const rest = inner === undefined ? before : before.slice(0, -inner.length)
  const mark = MARK_LAST.exec(rest)
  const sign = mark?.[1] ?? ''
  const isPercent = /[%٪]$/.test(sign)
  const currency = currencyKind(sign)
  const isMarked = isPercent || currency !== null
  if (inner !== undefined) return { isNegative: isMinus(inner) && SIGN_MAY_STAND.test(rest), isPercent, currency }
  const outside = isMarked && mark ? rest.slice(0, mark.index).replace(/\s$/, '') : ''
  const outer = SIGN_LAST.exec(outside)?.[1]
  const isOuter = outer !== undefined && SIGN_MAY_STAND.test(outside.slice(0, -outer.length))
  return { isNegative: isOuter && isMinus(outer), isPercent, currency }
}

const isMinus = (sign: string) => sign !== '+'

function isPerUnit(after: string): boolean {
  const unit = /^\s?(?:(?:\p{Sc}|\p{L}{1,4}\.?)\s?)?\/\s?(?:\d+\s?)?(\p{L}+)/u.exec(after)?.[1]
  return unit !== undefined && !TIMES.has(unit.toLowerCase())
}
