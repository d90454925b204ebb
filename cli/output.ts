import { WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import { hasEscapes, printable, printableDocument } from '../core/printable.ts'
import { print, tell } from '../platform/print.ts'
import type { ProcessIo } from '../platform/process-io.ts'
import { exitCode } from './exit-codes.ts'

/** What a command prints: a table for people, or a form for programs. */
export const OUTPUT_FORMS = ['table', 'wide', 'name', 'json', 'yaml'] as const
export type OutputForm = (typeof OUTPUT_FORMS)[number]

/** The options of every command that prints a result. `output-options.ts` adds them to all commands. */
export interface OutputOptions {
  readonly output?: OutputForm
  readonly json?: boolean
}

export const formOf = ({ output, json }: OutputOptions): OutputForm => (json ? 'json' : (output ?? 'table'))

export const isForPrograms = (form: OutputForm): form is 'json' | 'yaml' => form === 'json' || form === 'yaml'

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
  /** The last column: on a narrow terminal it is cut, except in the form `wide`. Otherwise it takes several lines. */
  readonly isCut?: boolean
}

interface Listed<T> {
  readonly items: readonly T[]
  readonly columns: readonly Column<T>[]
  /** The reference of an item, as in `monitor/<id>`: commands take it as an argument. */
  readonly name: (item: T) => string
  /** What programs get of an item. */
  readonly data: (item: T) => unknown
  /** What programs get of all items. Default: a list of what they get of each. */
  readonly whole?: unknown
  /** For people, where there are no items. */
  readonly none: string
}

/** Prints items in a form. `isOne`: programs get the item itself and no list. */
export async function printItems<T>(io: ProcessIo, form: OutputForm, listed: Listed<T>, isOne = false): Promise<void> {
  const { items, columns, name, data, whole, none } = listed
  if (isForPrograms(form)) {
    const all = items.map(data)
    return printData(io, form, isOne ? all[0] : (whole ?? all))
  }
  if (form === 'name') return printNames(io, items.map(name))
  if (items.length === 0) return io.stdout.isTTY ? print(io, `${none}\n`) : tell(io, `${none}\n`)
  print(io, table(io, columnsOf(form, columns), items))
}

/** Returns the columns that a form shows. */
export function columnsOf<T>(form: OutputForm, columns: readonly Column<T>[]): readonly Column<T>[] {
  if (form === 'wide') return columns.map((column) => ({ ...column, isCut: false }))
  return columns.filter(({ isWide = false }) => !isWide)
}

const printNames = (io: ProcessIo, names: readonly string[]) =>
  print(io, names.map((name) => `${printable(name)}\n`).join(''))

/** What a command has done, in every form. */
interface Result {
  /** What programs get. */
  readonly data: Readonly<Record<string, unknown>>
  /** What other commands take as an argument. */
  readonly names: readonly string[]
  /** For people. Default: a line for each value of `data`. */
  readonly text?: string
}

/** Prints a result in the form of the options; JSON is one line. */
export async function printResult(io: ProcessIo, options: OutputOptions, { data, names, text }: Result): Promise<void> {
  const form = formOf(options)
  if (form === 'name') return printNames(io, names)
  print(io, isForPrograms(form) ? await dataText(form === 'json' ? 'line' : form, data) : (text ?? linesOf(data)))
}

const linesOf = (data: Result['data']) =>
  Object.entries(data)
    .map(([name, item]) => `${name.padEnd(14)} ${printable(typeof item === 'string' ? item : JSON.stringify(item))}\n`)
    .join('')

/** Prints a value as JSON or YAML. */
export async function printData(io: ProcessIo, form: 'json' | 'yaml', data: unknown): Promise<void> {
  print(io, await dataText(form, data))
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

/** Returns a text in a colour, where standard output is a terminal and NO_COLOR is not set. */
export const coloured = (io: ProcessIo, { text, colour }: Cell): string =>
  colour === undefined || !showsColours(io) ? text : styleText(COLOURS[colour], text, { validateStream: false })

/** As Node decides it: FORCE_COLOR, NO_COLOR and TERM are those of the environment. */
const showsColours = ({ env, stdout }: ProcessIo): boolean =>
  (stdout.isTTY === true || env['FORCE_COLOR'] !== undefined) && WriteStream.prototype.getColorDepth(env) > 2

/** Longest text of a cell. What is longer is cut, except in the last column. */
const MAX_CELL = 60
const GAP = 2
/** Where the last column has less room than this, each item is a block of lines. */
const LEAST_ROOM = 16

/** Returns the columns of the terminal behind standard output. Where there is none, a line may have any length. */
export const terminalWidth = (io: ProcessIo): number => io.stdout.columns || Number.POSITIVE_INFINITY

/** Returns a table with columns of two spaces between them. Where it is too wide, each item is a block of lines. */
export function table<T>(
  io: ProcessIo,
  columns: readonly Column<T>[],
  items: readonly T[],
  width = terminalWidth(io),
): string {
  const last = columns.length - 1
  const rows = items.map((item) => columns.map(({ cell }, at) => cellOf(cell(item), at === last)))
  const widths = columns.map(({ head }, at) =>
    Math.max(head.length, ...rows.map((row) => widthOf(row[at]?.text ?? ''))),
  )
  const before = widths.slice(0, last).reduce((sum, each) => sum + each + GAP, 0)
  const room = width - before
  if (room < Math.min(LEAST_ROOM, widths[last] ?? 0))
    return rows.map((row) => block(io, columns, row, width)).join('\n')
  const line = (cells: readonly Cell[]) => {
    const shown = cells.slice(0, last).map((cell, at) => coloured(io, cell) + gap((widths[at] ?? 0) + GAP, cell.text))
    const { text = '', colour } = cells[last] ?? {}
    const parts = columns[last]?.isCut === true ? [cut(text, room)] : inLines(text, room)
    const ends = parts.map((part) => coloured(io, { text: part, ...(colour && { colour }) }))
    return `${shown.join('')}${ends.join(`\n${' '.repeat(before)}`)}`.replaceAll(/ +$/gm, '')
  }
  return [columns.map(({ head }) => ({ text: head })), ...rows].map((row) => `${line(row)}\n`).join('')
}

const gap = (width: number, text: string) => ' '.repeat(Math.max(0, width - widthOf(text)))

/** Returns an item as a line for each column that says something. */
function block<T>(io: ProcessIo, columns: readonly Column<T>[], row: readonly Cell[], width: number): string {
  const before = Math.max(...columns.map(({ head }) => head.length)) + GAP
  return columns
    .map(({ head }, at) => {
      const { text = '', colour } = row[at] ?? {}
      if (text === '') return ''
      const parts = inLines(text, width - before).map((part) => coloured(io, { text: part, ...(colour && { colour }) }))
      return `${head}${gap(before, head)}${parts.join(`\n${' '.repeat(before)}`)}\n`
    })
    .join('')
}

const SCRIPTS = /(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u
const WIDE_SIGN = /[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
const isWideLetter = (character: string) => SCRIPTS.test(character) || WIDE_SIGN.test(character)
const NO_LETTER = /[\p{Mn}\p{Me}]/u

/** Returns how many columns of a terminal a text takes: Chinese letters take two, marks above a letter none. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += isWideLetter(character) ? 2 : NO_LETTER.test(character) ? 0 : 1
  return width
}

/** Returns a text that takes at most so many columns, with a sign where it was cut. */
function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  const [start = ''] = pieces(text, width - 1)
  return `${start}…`
}

/** Returns a text in lines of at most so many columns, broken between words, and in a word where that is longer. */
export function inLines(text: string, width: number): readonly string[] {
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((one) => pieces(one, Math.max(1, width)))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && widthOf(longer) > width) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

/** Returns a word in pieces of at most so many columns. */
function pieces(word: string, width: number): readonly string[] {
  if (widthOf(word) <= width) return [word]
  const found: string[] = ['']
  let taken = 0
  for (const character of word) {
    const own = widthOf(character)
    if (taken + own > width && taken > 0) {
      found.push('')
      taken = 0
    }
    found[found.length - 1] += character
    taken += own
  }
  return found
}

function cellOf(given: string | Cell, isLast: boolean): Cell {
  const cell = typeof given === 'string' ? { text: given } : given
  return { ...cell, text: clipped(printable(cell.text), isLast ? MAX_LAST : MAX_CELL) }
}

/** Longest text of the last column. */
const MAX_LAST = 200

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

/** Returns an instant with how long ago it was. */
export function when(instant: string | null): string {
  if (instant === null) return 'none'
  const between = distance(instant)
  return `${instant} (${between.startsWith('in ') ? between : `${between} ago`})`
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

/**
 * Takes care of a standard output that nobody reads any more, or that cannot be written. `isChange`: the command goes
 * on to its end, because it changes something.
 */
export function whenUnread(io: ProcessIo, isChange: boolean): void {
  io.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // A program that reads only the first lines, as `head` does, closes the pipe.
    if (code !== 'EPIPE' && !io.exitCode) {
      tell(io, `tidemark: standard output cannot be written (${code}): what it shows is not complete\n`)
      io.exitCode = exitCode('failed')
    }
    if (!isChange) io.exit()
  })
  // Nobody reads the output.
  io.stderr.on('error', () => {})
}
