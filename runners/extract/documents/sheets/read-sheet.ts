import type { Archive } from '../archive/open-archive.ts'
import { readXml } from '../archive/read-xml.ts'
import { damaged } from '../refused-document.ts'
import { type NumberFormat, numberFormat } from './number-format.ts'
import { type Cell, RowBuilder, type Sheet } from './sheet.ts'

interface Workbook {
  readonly texts: readonly string[]
  readonly formats: readonly NumberFormat[]
  readonly is1904: boolean
  /** Of all sheets. */
  readonly count: { cells: number }
}

/** A cell as the file writes it. */
interface Written {
  readonly type: string
  readonly style: number
  text: string
}

const GENERAL = numberFormat(0, undefined)

/** Returns the rows of a sheet of an XLSX file. */
export function readSheet(archive: Archive, path: string, workbook: Workbook): Sheet['rows'] {
  const builder = new RowBuilder(workbook.count)
  let row = -1
  let column = -1
  let cell: Written | null = null
  let isValue = false
  let hints = 0
  readXml(path, archive.read(path), {
    open(name, attribute) {
      if (name === 'row') {
        row = placeOf(attribute('r'), row)
        column = -1
      } else if (name === 'c') {
        column = columnOf(attribute('r')) ?? column + 1
        cell = { type: attribute('t') ?? 'n', style: Number(attribute('s') ?? 0), text: '' }
      } else if (name === 'rPh') hints += 1
      else if (name === 'v' || name === 't') isValue = hints === 0
    },
    text: (part) => void (isValue && cell && (cell.text += part)),
    close(name) {
      if (name === 'v' || name === 't') isValue = false
      else if (name === 'rPh') hints -= 1
      else if (name === 'c' && cell) {
        const value = cellOf(cell, workbook)
        if (value !== null) builder.set(Math.max(row, 0), column, value)
        cell = null
      }
    },
  })
  return builder.rows
}

/** Rows that do not say their number follow each other. */
function placeOf(written: string | null, before: number): number {
  const number = written === null ? before + 2 : Number(written)
  if (!(Number.isInteger(number) && number >= 1 && number <= 1_048_576)) throw damaged('a row has no number')
  return number - 1
}

function columnOf(reference: string | null): number | null {
  const letters = /^\$?([A-Z]{1,3})\$?\d*$/i.exec(reference ?? '')?.[1]?.toUpperCase()
  if (letters === undefined) return null
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

function cellOf({ type, style, text }: Written, { texts, formats, is1904 }: Workbook): Cell | null {
  switch (type) {
    case 's':
      return text === '' ? null : textCell(sharedText(texts, text))
    case 'b':
      return text === '' ? null : { value: text.trim() === '1', shown: text.trim() === '1' ? 'TRUE' : 'FALSE' }
    case 'n': {
      if (text.trim() === '') return null
      const number = Number(text)
      return Number.isFinite(number) ? (formats[style] ?? GENERAL).cell(number, is1904) : textCell(text)
    }
    case 'd':
      return textCell(text.replace(/T00:00:00(?:\.0+)?Z?$/, ''))
    default:
      // A text in the cell, that of a formula, or an error such as #N/A.
      return textCell(text)
  }
}

const textCell = (text: string): Cell | null => (text === '' ? null : { value: text, shown: text })

function sharedText(texts: readonly string[], number: string): string {
  const text = texts[Number(number)]
  if (text === undefined) throw damaged('a cell refers to a text that is missing')
  return text
}
