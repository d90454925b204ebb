import type { Json } from '../../../../schema/shape/json.ts'
import { dictionary } from '../../dictionary.ts'
import { DOCUMENT_LIMITS } from '../document-limits.ts'
import { htmlText } from '../html-text.ts'
import type { OpenedDocument } from '../opened-document.ts'
import { tooMany, withoutText } from '../refused-document.ts'

/** A cell: its value with its type, and how the file shows it. Dates are texts, as in ISO 8601. */
export interface Cell {
  readonly value: string | number | boolean
  readonly shown: string
}

export interface Sheet {
  readonly name: string
  readonly isHidden: boolean
  /** By the number of the row and of the column, from 0; null: empty. */
  readonly rows: readonly (readonly (Cell | null)[])[]
}

/** Builds the rows of a sheet. All sheets of a file share the count of cells. */
export class RowBuilder {
  readonly rows: (Cell | null)[][] = []
  readonly #count: { cells: number }

  constructor(count: { cells: number }) {
    this.#count = count
  }

  /** Rows and columns that are left out before it become empty ones, and count. */
  set(row: number, column: number, cell: Cell): void {
    const cells = this.#rowAt(row)
    this.#add(column + 1 - cells.length)
    while (cells.length < column) cells.push(null)
    cells[column] = cell
  }

  #rowAt(row: number): (Cell | null)[] {
    this.#add(row + 1 - this.rows.length)
    while (this.rows.length <= row) this.rows.push([])
    return this.rows[row] ?? []
  }

  #add(cells: number): void {
    this.#count.cells += Math.max(0, cells)
    if (this.#count.cells > DOCUMENT_LIMITS.cells * 2) throw tooMany('cells')
  }
}

/** Returns sheets as a document. Throws a `RefusedDocument` for more cells than are read. */
export function sheetsDocument(sheets: readonly Sheet[], warnings: readonly string[] = []): OpenedDocument {
  let cells = 0
  for (const { rows } of sheets) for (const row of rows) cells += row.length
  if (cells > DOCUMENT_LIMITS.cells) throw tooMany('cells')
  if (cells === 0) throw withoutText('The file has no cell with a value')
  return {
    html: () => sheets.map(tableOf).join('\n'),
    json: () => ({ sheets: sheets.map(sheetJson) }),
    warnings,
  }
}

function tableOf({ name, isHidden, rows }: Sheet): string {
  const header = rows.findIndex(hasValue)
  const lines = rows.map((row, at) => {
    const tag = at === header ? 'th' : 'td'
    // A space, so that the text of a row has its cells as words.
    return `<tr>${row.map((cell) => `<${tag}>${htmlText(cell?.shown ?? '')}</${tag}>`).join(' ')}</tr>`
  })
  return `<table data-sheet="${htmlText(name)}"${isHidden ? ' hidden' : ''}>\n${lines.join('\n')}\n</table>`
}

const hasValue = (row: readonly (Cell | null)[]) => row.some((cell) => cell !== null)

function sheetJson({ name, isHidden, rows }: Sheet): Json {
  const values = rows.map((row) => row.map((cell) => cell?.value ?? null))
  return { name, ...(isHidden && { hidden: true }), records: recordsOf(rows), rows: values }
}

/** Returns the rows below the first one that has a value, each by the texts of that one. */
function recordsOf(rows: Sheet['rows']): Json[] {
  const header = rows.findIndex(hasValue)
  const names = namesOf(rows[header] ?? [])
  return rows
    .slice(header + 1)
    .filter(hasValue)
    .map((row) => {
      const record = dictionary<Json>()
      // A cell beyond the header has the letter of its column.
      for (let at = 0; at < Math.max(names.length, row.length); at += 1)
        record[names[at] ?? columnLetters(at)] = row[at]?.value ?? null
      return record
    })
}

/**
 * A column without a name has its letter; the second of a name has a number behind it. The same holds for a backslash
 * alone, for which V8 would spoil the names of the next page (prescan-json.ts).
 */
function namesOf(header: readonly (Cell | null)[]): string[] {
  const taken = new Set<string>()
  return header.map((cell, at) => {
    const written = cell?.shown.trim() ?? ''
    const plain = written === '' || written === '\\' ? columnLetters(at) : written
    let name = plain
    for (let again = 2; taken.has(name); again += 1) name = `${plain} ${again}`
    taken.add(name)
    return name
  })
}

function columnLetters(at: number): string {
  let letters = ''
  for (let rest = at + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}
