import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { withTimeout } from '../../concurrency/loops/retry.ts'

/** A pooler without a free connection lets a statement wait. */
const PATIENCE_MS = 3_000

/**
 * Returns whether a connection keeps what was set in it. A pooler in transaction mode gives each transaction any of its
 * connections: named statements, LISTEN and the locks of a session do not work there. `other` is a second connection to
 * the same database, and both are without a transaction. True where it cannot be found out.
 */
export async function keepsSessions(client: pg.Client, other: pg.Client): Promise<boolean> {
  const mark = randomUUID()
  await client.query(`select set_config('tidemark.session', $1, false)`, [mark])
  // Its transaction takes the connection of the pooler that was used last, which has the mark.
  const begun = other.query('begin').then(
    () => true,
    () => false,
  )
  if (!(await withTimeout(begun, PATIENCE_MS, () => false))) return true
  const asked = client.query<{ mark: string | null }>(`select current_setting('tidemark.session', true) as mark`)
  const found = await withTimeout(
    asked.then(({ rows }) => rows[0]?.mark ?? null),
    PATIENCE_MS,
    () => mark,
  )
  await other.query('rollback')
  await asked
  return found === mark
}
