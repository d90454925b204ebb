import { isCutList, withoutMark } from '../../../core/diff/cut-mark.ts'
import { foldText, isEmptyValue, isList } from '../../../core/diff/diff-values.ts'
import type { Json } from '../../../schema/shape/json.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import { GrownText } from './grown-text.ts'
import type { CompiledTreatment } from './treatments.ts'

/** A treated value, and whether the treatments left nothing of a value that had something. */
interface Cleaned {
  readonly value: Json
  readonly isEmptied: boolean
}

/**
 * Treats a value: of a list its items, of a text its lines. White space of both is folded first, and what is empty
 * then, or is left empty by a treatment, is dropped. A number and a boolean is one line, which stays what it is where
 * nothing replaces a part of it. A missing value and an object stay as they are. The mark of a list that was cut stays
 * its last item.
 *
 * @param base the address that links are relative to
 */
export function cleanValue(value: Json, treatments: readonly CompiledTreatment[], base: string): Cleaned {
  if (value === null || (typeof value === 'object' && !isList(value))) return { value, isEmptied: false }
  const before = partsOf(value)
  const after = treatments.reduce((parts, one) => treat(parts, one, { base, isText: !isList(value) }), before)
  const cleaned = isList(value) ? [...after, ...value.slice(withoutMark(value).length)] : asText(after)
  return { value: cleaned, isEmptied: after.length === 0 && !isEmptyValue(value) }
}

/** Returns the lines of a text that are treated. */
export function cleanLines(
  lines: readonly string[],
  treatments: readonly CompiledTreatment[],
  base: string,
): readonly string[] {
  const parts = lines.map(foldText).filter((line) => line !== '')
  return treatments.reduce<readonly Json[]>((left, one) => treat(left, one, { base, isText: true }), parts).map(textOf)
}

const LINE_END = /[\n\r\u2028\u2029]/

function partsOf(value: Exclude<Json, null | object> | readonly Json[]): readonly Json[] {
  if (isList(value)) return (isCutList(value) ? withoutMark(value) : value).map(folded).filter(isPart)
  return (typeof value === 'string' ? value.split(LINE_END).map(foldText) : [value]).filter(isPart)
}

const folded = (item: Json): Json => (typeof item === 'string' ? foldText(item) : item)
const isPart = (item: Json) => item !== '' && item !== null

/** A number that is left alone stays a number. */
function asText(parts: readonly Json[]): Json {
  const [only = '', ...others] = parts
  return others.length === 0 ? only : parts.map(textOf).join('\n')
}

const textOf = (part: Json): string => (typeof part === 'string' ? part : JSON.stringify(part))

interface Place {
  readonly base: string
  /** The parts are the lines of one text. */
  readonly isText: boolean
}

function treat(parts: readonly Json[], treatment: CompiledTreatment, { base, isText }: Place): readonly Json[] {
  switch (treatment.do) {
    case 'keep_lines':
      return parts.filter((part) => treatment.pattern.test(textOf(part)))
    case 'drop_lines':
      return parts.filter((part) => !treatment.pattern.test(textOf(part)))
    case 'replace':
      return changed(parts, isText, (text) => text.replace(treatment.pattern, treatment.text))
    case 'sort':
      return parts.toSorted((one, other) => compareTexts(textOf(one), textOf(other)))
    case 'unique':
      return [...new Map(parts.map((part) => [textOf(part), part])).values()]
    case 'first':
      return parts.slice(0, treatment.count)
    case 'last':
      return parts.slice(-treatment.count)
    case 'between':
      return isText
        ? linesOf(between(parts.map(textOf).join('\n'), treatment))
        : changed(parts, isText, (text) => between(text, treatment))
    case 'absolute_links':
      return changed(parts, isText, (text) => absolute(text, base))
  }
}

/** By code units, so that the order is the same on every machine. */
const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/**
 * An object is not a text, so nothing in it is changed. An item stays one item, whatever is written into it. Throws
 * `GrownText`.
 */
function changed(parts: readonly Json[], isText: boolean, change: (text: string) => string): readonly Json[] {
  let length = 0
  return parts.flatMap((part): readonly Json[] => {
    if (typeof part === 'object') return [part]
    const before = textOf(part)
    const after = fitting(() => change(before))
    if (after === before) return [part]
    length += after.length
    if (length > EXTRACT_LIMITS.treatedBytes) throw new GrownText()
    return isText ? linesOf(after) : [foldText(after)].filter(isPart)
  })
}

/** The engine limits the length of a text too, and refuses a deep pattern with the same class of errors. */
function fitting(change: () => string): string {
  try {
    return change()
  } catch (error) {
    throw error instanceof RangeError && error.message === 'Invalid string length' ? new GrownText() : error
  }
}

const linesOf = (text: string): readonly string[] =>
  text
    .split(LINE_END)
    .map(foldText)
    .filter((line) => line !== '')

/** Without either of the two texts, nothing is between them. */
function between(text: string, { after, before }: Extract<CompiledTreatment, { do: 'between' }>): string {
  const at = text.indexOf(after)
  const from = at + after.length
  const end = at < 0 ? -1 : text.indexOf(before, from)
  return end < 0 ? '' : text.slice(from, end)
}

/** Returns an address as the browser would open it from the page. What has white space is none. */
function absolute(text: string, base: string): string {
  return /\s/.test(text) ? text : (URL.parse(text, base)?.href ?? text)
}
