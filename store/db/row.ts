import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

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
export function row<P extends TProperties>(properties: P): RowSchema<Static<ReturnType<typeof Type.Object<P>>>> {
  return rowOf(Type.Object(properties)) as never
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
          : { issues: compiled.Errors(value).map((error) => ({ message: `${error.instancePath} ${error.message}` })) },
    },
  }
}

/** No columns: for statements that return nothing, or whose rows are not read. */
export const nothing = rowOf(Type.Unknown())
