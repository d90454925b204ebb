import { type ListSqlToken, type PrimitiveValueExpression, sql } from 'slonik'
import Type from 'typebox'
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import { Compile } from 'typebox/schema'

/** The part of Standard Schema that the query client uses. TypeBox itself does not provide it. */
export interface RowSchema<T> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'tidemark'
    readonly validate: (
      value: unknown,
    ) => { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly { message: string }[] }
    readonly types?: { readonly input: T; readonly output: T } | undefined
  }
}

/** The schema of a statement's rows, for `sql.type(row({...}))`. Compiled once: call it at the top of a module. */
export function row<P extends TProperties>(properties: P): RowSchema<Static<TObject<P>>> {
  return rowOf(Type.Object(properties))
}

/** Does the same as `row` for a complete schema. */
export function rowOf<S extends TSchema>(schema: S): RowSchema<Static<S>> {
  const compiled = Compile(schema)
  return {
    '~standard': {
      version: 1,
      vendor: 'tidemark',
      validate: (value) =>
        compiled.Check(value)
          ? { value: value as Static<S> }
          : {
              issues: compiled.Errors(value)[1].map((error) => ({ message: `${error.instancePath} ${error.message}` })),
            },
    },
  }
}

/** Returns a bytea value, or SQL's null. */
export const bytes = (value: Buffer | null) => (value === null ? sql.fragment`null::bytea` : sql.binary(value))

/** No columns: for statements that return nothing, or whose rows are not read. */
export const nothing = rowOf(Type.Unknown())

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
