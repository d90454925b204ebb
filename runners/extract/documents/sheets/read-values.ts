import { decode } from '../../text/charset.ts'
import { type ReceivedFile, unknown } from '../document-kind.ts'
import type { OpenedDocument } from '../opened-document.ts'
import { damaged } from '../refused-document.ts'
import { type Cell, RowBuilder, sheetsDocument } from './sheet.ts'

/** The sheet of a file that has only one, without a name. */
const NAME = 'Sheet1'
/** Where two divide a file alike, the first one does: a comma also stands within numbers and texts. */
const SEPARATORS = ['\t', ';', '|', ','] as const
/** Records by which the separator is found. */
const LOOKED_AT = 20
const LOOKED_AT_CHARS = 64 * 1024
/** A number that a program writes and reads again as it is; with a zero before it, it is a key. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/
const LONGEST_NUMBER = 16

/** Reads a CSV or TSV file, as RFC 4180 and most programs write it. */
export function readValues({ body, contentType }: ReceivedFile, isTabbed: boolean): OpenedDocument {
  const { text, warnings } = decode(body, contentType, 'text')
  if (text.includes('\0')) throw unknown('no text, though its type is one')
  const named = /^sep=([,;\t|])\r?\n/i.exec(text)
  const values = named ? text.slice(named[0].length) : text
  const separator = isTabbed ? '\t' : (named?.[1] ?? separatorOf(values))
  const builder = new RowBuilder({ cells: 0 })
  let row = 0
  for (const record of recordsOf(values, separator)) {
    for (const [column, value] of record.entries()) if (value !== '') builder.set(row, column, cellOf(value))
    row += 1
  }
  return sheetsDocument([{ name: NAME, isHidden: false, rows: builder.rows }], warnings)
}

const cellOf = (text: string): Cell => ({
  value: NUMBER.test(text) && text.length <= LONGEST_NUMBER ? Number(text) : text,
  shown: text,
})

/** Returns the separator by which most of the first records have the same number of columns, and the most of them. */
function separatorOf(text: string): string {
  const head = text.slice(0, LOOKED_AT_CHARS)
  const isCut = head.length < text.length
  let best = { separator: ',', records: 0, columns: 1 }
  for (const separator of SEPARATORS) {
    const counts: number[] = []
    for (const record of recordsOf(head, separator, true)) {
      if (record.some((value) => value !== '')) counts.push(record.length)
      if (counts.length >= LOOKED_AT) break
    }
    if (isCut && counts.length < LOOKED_AT) counts.pop()
    const { records, columns } = mostFrequent(counts)
    if (records > best.records || (records === best.records && columns > best.columns))
      best = { separator, records, columns }
  }
  return best.separator
}

/** Of the records that are divided at all. A title above a table is not. */
function mostFrequent(counts: readonly number[]): { readonly records: number; readonly columns: number } {
  const found = new Map<number, number>()
  for (const columns of counts) if (columns > 1) found.set(columns, (found.get(columns) ?? 0) + 1)
  let best = { records: 0, columns: 1 }
  for (const [columns, records] of found)
    if (records > best.records || (records === best.records && columns > best.columns)) best = { records, columns }
  return best
}

/** Gives the records of a text. `isGuess`: a text may end within quotes. */
function* recordsOf(text: string, separator: string, isGuess = false): Generator<string[]> {
  let record: string[] = []
  for (let at = 0; at < text.length;) {
    const [value, end] = text[at] === '"' ? quoted(text, at, separator, isGuess) : bare(text, at, separator)
    record.push(value)
    if (text[end] === separator) {
      at = end + 1
      // The last value of a file may be empty.
      if (at === text.length) record.push('')
      continue
    }
    yield record
    record = []
    at = end + (text.startsWith('\r\n', end) ? 2 : 1)
  }
  if (record.length > 0) yield record
}

type Value = readonly [value: string, end: number]

function bare(text: string, from: number, separator: string): Value {
  let end = from
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1
  return [text.slice(from, end), end]
}

function quoted(text: string, from: number, separator: string, isGuess: boolean): Value {
  let value = ''
  for (let at = from + 1; ;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) {
      if (isGuess) return [value, text.length]
      throw damaged('it ends within a value in quotes')
    }
    value += text.slice(at, quote)
    if (text[quote + 1] !== '"') {
      // What stands behind the quotes belongs to the value.
      const [rest, end] = bare(text, quote + 1, separator)
      return [value + rest, end]
    }
    value += '"'
    at = quote + 2
  }
}
