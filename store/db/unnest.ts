import { type ListSqlToken, type PrimitiveValueExpression, sql } from 'slonik'

/** Postgres names of the column types that a statement reads. Each column is a property of the rows. */
type ColumnTypes<Row, Columns> = { readonly [Column in keyof Columns]: Column extends keyof Row ? string : never }

/**
 * Returns rows as a table that a statement can read, with one array for each column: `from ${unnest('i', runs, { no:
 * 'int8', fence: 'int4' })}` has `i.no` and `i.fence`. The text depends on the names only, so that the statement can
 * be prepared. The query client refuses null among bytes: there null arrives as an empty string.
 */
export function unnest<Row extends object, const Columns extends ColumnTypes<Row, Columns>>(
  name: string,
  rows: readonly Row[],
  types: Columns,
) {
  const columns = Object.entries(types) as [keyof Row & string, string][]
  const arrays = columns.map(([column, type]) =>
    sql.array(
      rows.map((row) => (row[column] ?? (type === 'bytea' ? NO_BYTES : null)) as PrimitiveValueExpression),
      type,
    ),
  )
  const names = columns.map(([column]) => sql.identifier([column]))
  return sql.fragment`unnest(${listed(arrays)}) as ${sql.identifier([name])} (${listed(names)})`
}

const NO_BYTES = Buffer.alloc(0)

function listed(parts: Parameters<typeof sql.join>[0]): ListSqlToken {
  return sql.join(parts, sql.fragment`, `)
}
