import type { Row } from './ordered-rows.ts'

/** Returns that some of the rows are left as they are, because a manifest declares them. Null: none is. */
export function lockedWords(rows: readonly Row[]): string | null {
  const locked = rows.filter(({ managed_by: by }) => by !== 'api').length
  if (locked === 0) return null
  return `${locked.toLocaleString('en')} of them are declared in a cluster or a file, and are edited there.`
}
