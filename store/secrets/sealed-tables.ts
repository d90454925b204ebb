import { sql } from 'slonik'
import { SEALED_COLUMNS, type SealedPlace } from './secret-box.ts'

type SealedTable = 'monitors' | 'deliveries' | 'notices' | 'idempotent_answers' | 'previews'
type ColumnOf<T extends string> = Extract<SealedPlace['column'], `${T}.${string}`> extends `${T}.${infer C}` ? C : never

/** One and many. */
const WORDS: Readonly<Record<SealedTable, readonly [string, string]>> = {
  monitors: ['monitor', 'monitors'],
  deliveries: ['delivery', 'deliveries'],
  notices: ['notice', 'notices'],
  idempotent_answers: ['kept answer', 'kept answers'],
  previews: ['preview', 'previews'],
}

/** A table with encrypted columns. */
interface Sealed<T extends SealedTable = SealedTable> {
  readonly table: T
  readonly columns: readonly ColumnOf<T>[]
  readonly words: readonly [string, string]
}

/** The tables whose rows hold encrypted values of teams. */
export const SEALED_TABLES: readonly Sealed[] = (
  ['monitors', 'deliveries', 'notices', 'idempotent_answers', 'previews'] as const
).map((table) => ({
  table,
  columns: SEALED_COLUMNS.filter((column) => column.startsWith(`${table}.`)).map(
    (column) => column.slice(table.length + 1) as ColumnOf<typeof table>,
  ),
  words: WORDS[table],
}))

/** Returns the id of the key that the value of a column was encrypted with; null for null. */
export const sealedWith = (column: ReturnType<typeof sql.identifier>) =>
  sql.fragment`encode(substr(${column}, 2, 4), 'hex')`
