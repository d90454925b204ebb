import { type PrimitiveValueExpression, sql } from 'slonik'
import type { TSchema } from 'typebox'

type Fragment = ReturnType<typeof sql.fragment>

/** A column of `monitors` that only one kind of monitor has, named as the key of its configuration. */
interface OwnColumn<Schema extends TSchema = TSchema> {
  /** The value in a row. */
  readonly schema: Schema
  readonly type: 'text' | 'json' | 'int2' | 'int4'
  /** The size is free, so it counts among the bytes of a configuration (000003-monitors.sql). */
  readonly isCounted?: boolean
  /** An edit never changes it. */
  readonly isFixed?: boolean
}

/** The columns of a kind, by their names. */
export type OwnColumns = Readonly<Record<string, OwnColumn>>

/** The properties of a row that has these columns. */
type SchemasOf<Own extends OwnColumns> = { [Name in keyof Own]: Own[Name]['schema'] }

/** Returns the properties of a row that has these columns. */
export const schemasOf = <Own extends OwnColumns>(own: Own): SchemasOf<Own> =>
  Object.fromEntries(Object.entries(own).map(([name, { schema }]) => [name, schema])) as SchemasOf<Own>

/** Returns the names of the columns that are JSON. */
export const jsonNames = (own: OwnColumns): readonly string[] =>
  Object.keys(own).filter((name) => own[name]?.type === 'json')

/** Returns the names of those that are not, and are always small. */
export const smallNames = (own: OwnColumns): readonly string[] =>
  Object.keys(own).filter((name) => own[name]?.type !== 'json')

/** Returns the names of those whose bytes count. */
export const countedNames = (own: OwnColumns): readonly string[] =>
  Object.keys(own).filter((name) => own[name]?.isCounted === true)

/** Returns the names of those that an edit writes. */
export const editedNames = (own: OwnColumns): readonly string[] =>
  Object.keys(own).filter((name) => own[name]?.isFixed !== true)

/** Returns the Postgres types in which a statement is given their values: JSON is given as text. */
export const givenTypes = (own: OwnColumns): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(own).map(([name, { type }]) => [name, GIVEN[type].name]))

/** Returns the values of a configuration for these columns, in the types of `givenTypes`. */
export const givenValues = (own: OwnColumns, spec: object): Readonly<Record<string, PrimitiveValueExpression>> =>
  Object.fromEntries(Object.keys(own).map((name) => [name, givenValue(own, name, spec)]))

function givenValue(own: OwnColumns, name: string, spec: object): PrimitiveValueExpression {
  const value = (spec as Readonly<Record<string, PrimitiveValueExpression | object>>)[name] ?? null
  return own[name]?.type === 'json' && value !== null ? JSON.stringify(value) : (value as PrimitiveValueExpression)
}

const GIVEN = {
  text: { name: 'text', cast: sql.fragment`::text` },
  json: { name: 'text', cast: sql.fragment`::text` },
  int2: { name: 'int2', cast: sql.fragment`::int2` },
  int4: { name: 'int4', cast: sql.fragment`::int4` },
} as const satisfies Record<OwnColumn['type'], { readonly name: string; readonly cast: Fragment }>

/** Returns the values of a configuration as expressions, in the order of the names. */
export const givenList = (own: OwnColumns, names: readonly string[], spec: object) =>
  listed(names, (name) => sql.fragment`${givenValue(own, name, spec)}${GIVEN[own[name]?.type ?? 'text'].cast}`)

/** Returns a list of columns: `url, engine`, or of a source: `m.url, m.engine`. */
export const columnsOf = (names: readonly string[], source?: string) =>
  listed(names, (name) => sql.fragment`${sql.identifier(source === undefined ? [name] : [source, name])}`)

/** Returns what is stored of given columns: JSON, where it was given as text. */
export const storedList = (own: OwnColumns, names: readonly string[], source: string) =>
  listed(names, (name) => storedColumn(own, name, source))

/** Returns the assignments of given columns to the columns of the table. */
export const assignments = (own: OwnColumns, names: readonly string[], source: string) =>
  listed(names, (name) => sql.fragment`${sql.identifier([name])} = ${storedColumn(own, name, source)}`)

const storedColumn = (own: OwnColumns, name: string, source: string): Fragment => {
  const column = sql.identifier([source, name])
  return own[name]?.type === 'json' ? sql.fragment`${column}::json` : sql.fragment`${column}`
}

const listed = (names: readonly string[], show: (name: string) => Fragment) =>
  sql.join(names.map(show), sql.fragment`, `)
