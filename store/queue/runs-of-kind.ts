import { type PrimitiveValueExpression, sql } from 'slonik'

type Fragment = ReturnType<typeof sql.fragment>

/** Columns and statements of the runs of one kind of monitor, beside those of every kind. */
export interface RunsOfKind {
  /** Ends the names of its statements. */
  readonly name: string
  /** Columns of `runs` that only these have, with their types. */
  readonly columns: Readonly<Record<string, string>>
  /** Further assignments to `checks c` where a run ends; each begins with a comma. */
  readonly ended: Fragment
  /** From the fifth failure in a row a check backs off. False: after the tenth its monitor is paused. */
  readonly backsOff: boolean
}

/** Values of the columns that only the runs of its kind have. */
export type OwnValues = Readonly<Record<string, PrimitiveValueExpression>>

/** Runs without columns that only their kind has. */
export const PLAIN_RUNS: RunsOfKind = { name: '', columns: {}, ended: sql.fragment``, backsOff: true }

/** Returns the columns as a list: `, target_rank, rank_delta`, or of a source: `, i.target_rank, i.rank_delta`. */
export function andColumns({ columns }: RunsOfKind, source?: string): Fragment {
  const names = Object.keys(columns)
  if (names.length === 0) return sql.fragment``
  const listed = names.map((name) => sql.fragment`${sql.identifier(source === undefined ? [name] : [source, name])}`)
  return sql.fragment`, ${sql.join(listed, sql.fragment`, `)}`
}
