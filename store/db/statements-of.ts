/** A statement of a file of SQL. */
interface Statement {
  /** As it is written, without comments. */
  readonly sql: string
  /** The line of its first word. */
  readonly line: number
}

/** Comments, texts, names and bodies between two `$$`, whose semicolons end no statement, and semicolons that do. */
const TOKENS = /--.*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;/g

/** Returns the statements of a migration. Each ends at a semicolon. */
export function statementsOf(text: string): readonly Statement[] {
  const ends: number[] = []
  const bare = text.replaceAll(TOKENS, (token: string, _: unknown, index: number) => {
    if (token === ';') ends.push(index)
    return /^(?:--|\/\*)/.test(token) ? token.replaceAll(/[^\n]/g, ' ') : token
  })
  return [...ends, bare.length].flatMap((end, nth) => {
    const start = nth === 0 ? 0 : (ends[nth - 1] ?? 0) + 1
    const sql = bare.slice(start, end)
    const line = bare.slice(0, start + sql.search(/\S|$/)).split('\n').length
    return sql.trim() === '' ? [] : [{ sql: sql.trim(), line }]
  })
}
