/**
 * The first characters that make a spreadsheet read a cell as a formula, their full-width forms included. Spreadsheets
 * skip a tab, and a line break begins a new cell in some.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u

/**
 * Returns a line of a CSV file (RFC 4180), its end included. Every cell is quoted. A text that could be a formula gets
 * an apostrophe in front, which spreadsheets show as text. So does what follows a semicolon within a cell. Numbers stay
 * as they are, whatever their sign.
 */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map((cell) => `"${typeof cell === 'number' ? cell : quotable(cell ?? '')}"`).join(',')}\r\n`

/**
 * Where a formula may begin inside of a cell: spreadsheets of a language that writes a comma in numbers split lines at
 * semicolons. They see quotes only at the start of a line, so that what follows a semicolon or a line break in a cell
 * is another cell.
 */
const FORMULA_WITHIN = /([;\t\r\n])(?=[\s"']*[=+\-@＝＋－＠])/gu

const safe = (cell: string) => (FORMULA.test(cell) ? `'${cell}` : cell).replace(FORMULA_WITHIN, "$1'")

const quotable = (cell: string) => safe(cell).replaceAll('"', '""')
