import { sql } from 'slonik'
import { SEALED_COLUMNS, type SealedPlace } from './secret-box.ts'

type SealedTable =
  | 'monitors'
  | 'deliveries'
  | 'notices'
  | 'idempotent_answers'
  | 'asked_work'
  | 'looks'
  | 'installation'
type ColumnOf<T extends string> = Extract<SealedPlace['column'], `${T}.${string}`> extends `${T}.${infer C}` ? C : never

/** One and many. */
const WORDS: Readonly<Record<SealedTable, readonly [string, string]>> = {
  monitors: ['monitor', 'monitors'],
  deliveries: ['delivery', 'deliveries'],
  notices: ['notice', 'notices'],
  idempotent_answers: ['kept answer', 'kept answers'],
  asked_work: ['request that waits', 'requests that wait'],
  looks: ['look', 'looks'],
  installation: ['key of sessions', 'keys of sessions'],
}

/** A table with encrypted columns. */
interface Sealed<T extends SealedTable = SealedTable> {
  readonly table: T
  readonly columns: readonly ColumnOf<T>[]
  /** The column that says whose values they are: a team's, or the installation's own. */
  readonly owner: 'team_id' | 'id'
  readonly words: readonly [string, string]
}

/** The tables whose rows hold encrypted values that a rotation encrypts again. */
export const SEALED_TABLES: readonly Sealed[] = (
  ['monitors', 'deliveries', 'notices', 'idempotent_answers', 'asked_work', 'looks', 'installation'] as const
).map((table) => ({
  table,
  columns: SEALED_COLUMNS.filter((column) => column.startsWith(`${table}.`)).map(
    (column) => column.slice(table.length + 1) as ColumnOf<typeof table>,
  ),
  owner: table === 'installation' ? 'id' : 'team_id',
  words: WORDS[table],
}))

/** Returns the id of the key that the value of a column was encrypted with; null for null. */
export const sealedWith = (column: ReturnType<typeof sql.identifier>) =>
  sql.fragment`encode(substr(${column}, 2, 4), 'hex')`
