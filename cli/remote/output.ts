import { styleText } from 'node:util'
import { hasEscapes, printable, printableDocument } from '../printable.ts'

/** What a command prints: a table for people, or a form for programs. */
export const OUTPUT_FORMS = ['table', 'wide', 'name', 'json', 'yaml'] as const
type OutputForm = (typeof OUTPUT_FORMS)[number]

/** The options that every command over REST has. */
export interface CommonOptions {
  readonly profile?: string
  readonly output?: OutputForm
  readonly json?: boolean
}

export const formOf = ({ output, json }: CommonOptions): OutputForm => (json ? 'json' : (output ?? 'table'))

/** Colours have a meaning: good, bad, in between, beside the point. */
const COLOURS = { good: 'green', bad: 'red', waiting: 'yellow', aside: 'gray' } as const

interface Cell {
  readonly text: string
  readonly colour?: keyof typeof COLOURS
}

export interface Column<T> {
  readonly head: string
  readonly cell: (item: T) => string | Cell
  /** Only in the form `wide`. */
  readonly isWide?: boolean
}

interface Listed<T> {
  readonly items: readonly T[]
  readonly columns: readonly Column<T>[]
  /** The reference of an item, as in `monitor/<id>`: commands take it as an argument. */
  readonly name: (item: T) => string
  /** What programs get of an item. */
  readonly data: (item: T) => unknown
  /** For people, where there are no items. */
  readonly none: string
}

/** Prints items in a form. `isOne`: programs get the item itself and no list. */
export async function printItems<T>(form: OutputForm, listed: Listed<T>, isOne = false): Promise<void> {
  const { items, columns, name, data, none } = listed
  if (form === 'json' || form === 'yaml') {
    const all = items.map(data)
    return printData(form, isOne ? all[0] : all)
  }
  if (form === 'name') return print(items.map((item) => `${printable(name(item))}\n`).join(''))
  if (items.length === 0) return process.stdout.isTTY ? print(`${none}\n`) : void process.stderr.write(`${none}\n`)
  const shown = columns.filter(({ isWide = false }) => form === 'wide' || !isWide)
  print(table(shown, items))
}

/** Prints a value as JSON or YAML. */
export async function printData(form: 'json' | 'yaml', data: unknown): Promise<void> {
  print(await dataText(form, data))
}

/** Returns one of several values that are printed one after the other: a line of JSON, or a document of YAML. */
export const partText = async (form: 'json' | 'yaml', data: unknown): Promise<string> =>
  form === 'json' ? dataText('line', data) : `---\n${await dataText('yaml', data)}`

/** Returns a value as JSON, as JSON on one line, or as YAML. */
export async function dataText(form: 'json' | 'line' | 'yaml', data: unknown): Promise<string> {
  if (form !== 'yaml') return `${printableDocument(JSON.stringify(data, null, form === 'json' ? 2 : 0))}\n`
  const { Document, visit } = await import('yaml')
  const document = new Document(data, { aliasDuplicateObjects: false })
  // Only texts in quotes may have escapes.
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && hasEscapes(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return printableDocument(document.toString({ lineWidth: 0, doubleQuotedAsJSON: true }))
}

export const print = (text: string): void => void process.stdout.write(text)

/** Prints a line about what the command does at this moment, on a terminal only. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${text}\n`)
}

/** Returns a text in a colour, where standard output is a terminal and NO_COLOR is not set. */
export const coloured = ({ text, colour }: Cell): string =>
  colour === undefined ? text : styleText(COLOURS[colour], text, { stream: process.stdout })

/** Longest text of a cell. What is longer is cut, except in the last column. */
const MOST_CELL = 60

/** Returns a table with columns of two spaces between them. */
export function table<T>(columns: readonly Column<T>[], items: readonly T[]): string {
  const rows = items.map((item) => columns.map(({ cell }, at) => cellOf(cell(item), at === columns.length - 1)))
  const widths = columns.map(({ head }, at) => Math.max(head.length, ...rows.map((row) => lengthOf(row[at]?.text))))
  const line = (cells: readonly Cell[]) =>
    cells
      .map((cell, at) => {
        const gap = at === cells.length - 1 ? '' : ' '.repeat((widths[at] ?? 0) - lengthOf(cell.text) + 2)
        return coloured(cell) + gap
      })
      .join('')
      .trimEnd()
  return [columns.map(({ head }) => ({ text: head })), ...rows].map((row) => `${line(row)}\n`).join('')
}

const lengthOf = (text = '') => Array.from(text).length

function cellOf(given: string | Cell, isLast: boolean): Cell {
  const cell = typeof given === 'string' ? { text: given } : given
  const text = printable(cell.text)
  if (isLast) return { ...cell, text: clipped(text, 200) }
  return { ...cell, text: clipped(text, MOST_CELL) }
}

/** Returns a text of at most so many characters, with a sign where it was cut. */
export function clipped(text: string, most: number): string {
  const characters = Array.from(text)
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const

/** Returns a number of seconds in its largest whole unit, as in `15m`. */
function seconds(count: number): string {
  const [unit, size] = UNITS.find(([, length]) => count >= length) ?? ['s', 1]
  return `${Math.max(0, Math.floor(count / size))}${unit}`
}

/** Returns how long ago an instant was, or how far ahead it is; a dash where there is none. */
export function distance(instant: string | null, now = Date.now()): string {
  if (instant === null) return '-'
  const between = (now - Date.parse(instant)) / 1_000
  return between >= 0 ? seconds(between) : `in ${seconds(-between)}`
}

/** Returns an interval exactly, as in `1h30m`. */
export function interval(count: number): string {
  let left = count
  let text = ''
  for (const [unit, size] of UNITS) {
    if (left >= size) text += `${Math.floor(left / size)}${unit}`
    left %= size
  }
  return text === '' ? '0s' : text
}
