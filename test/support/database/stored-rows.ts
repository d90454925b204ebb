/** What runs a statement on the database of a test: an API, an installation, a queue, an outbox. */
export type Statements = { sql(statement: string): Promise<unknown> } | { query(statement: string): Promise<unknown> }

/**
 * The monitors that a helper changes: by the number or the id of one or of several, that of the resource of
 * a name, those of a name, or with `'all'` each one.
 */
export type Monitors =
  | number
  | string
  | readonly (number | string)[]
  | { readonly resource: string }
  | { readonly name: string }

export async function runStatement(on: Statements, statement: string): Promise<void> {
  await ('sql' in on ? on.sql(statement) : on.query(statement))
}

/** Begins a transaction. Until it ends, no other one reads or writes the table. */
export async function lockTable(on: Statements, table: 'checks' | 'deliveries'): Promise<void> {
  await runStatement(on, `begin; lock table ${table} in access exclusive mode`)
}

/** The condition that finds them in `checks` and in `monitors`. */
export function conditionOf(monitors: Monitors): string {
  if (monitors === 'all') return 'true'
  if (typeof monitors === 'number' || typeof monitors === 'string') return conditionOf([monitors])
  if ('resource' in monitors)
    return `no in (select no from monitor_resources where name = ${literal(monitors.resource)})`
  if ('name' in monitors) return `no in (select no from monitors where name = ${literal(monitors.name)})`
  const numbers = monitors.filter((one) => typeof one === 'number')
  const ids = monitors.filter((one) => typeof one === 'string')
  return `no = any('{${numbers.join()}}'::bigint[] ||
    array(select no from monitors where id = any('{${ids.join()}}'::uuid[])))`
}

/** A value as SQL writes it: bytes as `bytea`, lists as arrays, other objects as JSON. */
export function literal(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value)
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  return literal(Array.isArray(value) ? `{${value.join()}}` : JSON.stringify(value))
}
