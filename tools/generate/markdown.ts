/** As for code: the formatter fills prose too. */
const COLUMNS = 120

/**
 * Returns a paragraph, filled so that formatting the file changes nothing. What is code in it is not broken. `indent`
 * stands before all lines but the first.
 */
export function paragraph(text: string, indent = ''): string {
  const lines: string[] = []
  for (const word of text.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && longer.length <= COLUMNS) lines[lines.length - 1] = longer
    else lines.push(lines.length === 0 ? word : indent + word)
  }
  return lines.join('\n')
}

/** Returns a table in Markdown. Its columns are padded, so that formatting the file changes nothing. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')))
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...cells.map(line)].join('\n')
}
