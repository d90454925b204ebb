import type { Row } from './ordered-rows.ts'

/** Returns that some of the rows are left as they are, because a manifest declares them. Null: none is. */
export function lockedWords(rows: readonly Row[]): string | null {
  const locked = rows.filter(({ managed_by: by }) => by !== 'api').length
  if (locked === 0) return null
  if (rows.length === 1) return 'It is declared in a cluster or a file, and is edited there.'
  const some = locked === 1 ? 'One of them is' : `${locked.toLocaleString('en')} of them are`
  return `${some} declared in a cluster or a file, and edited there.`
}
