/**
 * The first characters that make a spreadsheet read a cell as a formula, their full-width forms included. Spreadsheets
 * skip a tab, and a line break begins a new cell in some.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u

/**
 * Returns a line of a CSV file (RFC 4180), its end included. Every cell is quoted. A cell that could be a formula gets
 * an apostrophe in front, which spreadsheets show as text.
 */
export const csvLine = (cells: readonly (string | null)[]): string =>
  `${cells.map((cell) => `"${safe(cell ?? '').replaceAll('"', '""')}"`).join(',')}\r\n`

const safe = (cell: string) => (FORMULA.test(cell) ? `'${cell}` : cell)
