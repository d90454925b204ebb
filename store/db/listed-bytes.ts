import { type FragmentSqlToken as Fragment, sql, type ValueExpression } from 'slonik'
import Type from 'typebox'
import { LIST_LIMITS } from '../../schema/list-limits.ts'

/**
 * Columns of each row of a list: the bytes of its values, and those of a page of such rows. Where the latter are more
 * than `pageBytes`, the statement returns the row without its values. They are read later, for a group of rows. A sum
 * over the page would cost every small page a tenth more.
 */
export const listedBytes = { bytes: Type.Integer(), page_bytes: Type.Integer() }

export interface ListedBytes {
  readonly bytes: number
  readonly page_bytes: number
}

const pageBytes = sql.literalValue(String(LIST_LIMITS.pageBytes))

/** Returns whether all rows of a page have their values. */
export const hasValues = (rows: readonly ListedBytes[]): boolean =>
  rows.every(({ page_bytes }) => page_bytes <= LIST_LIMITS.pageBytes)

/**
 * Returns rows as `name`, with what `bytes` says of each. The subselect stays one by its `offset`: otherwise the sizes
 * would be computed for each column.
 */
export const withBytes = (
  name: 'd' | 'm' | 'r',
  { rows, bytes, limit }: { readonly rows: Fragment; readonly bytes: Fragment; readonly limit: ValueExpression },
) => {
  const rowName = sql.identifier([name])
  return sql.fragment`(
    select ${rowName}.*, ${rowName}.bytes::bigint * ${limit}::bigint as page_bytes
    from (select ${rowName}.*, ${bytes} as bytes from (${rows}) ${rowName} offset 0) ${rowName}
  ) ${rowName}`
}

/**
 * Returns an expression for the bytes of a json column. The size in the table is that of the text, unless it is
 * compressed: only then is the text read.
 */
export const jsonBytes = (column: Fragment) => sql.fragment`
  case when pg_column_compression(${column}) is null then coalesce(pg_column_size(${column}), 0)
    else octet_length(${column}::text) end`

/** Returns columns of `source` that are null where `source.page_bytes` is too much for the row to have values. */
export const valuesOfPage = (source: string, columns: readonly string[]) =>
  sql.join(
    columns.map((column) => {
      const value = sql.identifier([source, column])
      const isSmall = sql.fragment`${sql.identifier([source, 'page_bytes'])} <= ${pageBytes}::int`
      return sql.fragment`case when ${isSmall} then ${value} end as ${sql.identifier([column])}`
    }),
    sql.fragment`, `,
  )
