import { dirname, join } from 'node:path'
import pg from 'pg'
import { retryWhile } from '../../concurrency/loops/retry.ts'
import { PASSWORD } from './embedded-home.ts'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'

const WRONG_PASSWORD = '28P01'

/** A server that ended in its first second is up again within this time. */
const RESTART_MS = 15_000

/** `checkOnce`, again while the server does not answer. */
export function checkPassword(url: string, where: { dataDir: string; data: string }): Promise<void> {
  return retryWhile(() => checkOnce(url, where), {
    patienceMs: RESTART_MS,
    isRetryable: (error) => !(error instanceof EmbeddedPostgresError),
    onRetry: () => {},
  })
}

/**
 * Throws an `EmbeddedPostgresError` when the password in the data directory is not the password of the database: one of
 * the two was exchanged.
 */
async function checkOnce(url: string, { dataDir, data }: { dataDir: string; data: string }): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tidemark start',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === WRONG_PASSWORD)) throw error
    throw passwordMismatch({ dataDir, data })
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Says that the database exists and its password does not. */
export function passwordMismatch({ dataDir, data }: { dataDir: string; data: string }): EmbeddedPostgresError {
  const file = join(dataDir, PASSWORD)
  return new EmbeddedPostgresError(
    'unusable_data',
    `${file} and the database in ${data} do not match: one of them was removed or restored without the other. ` +
      `Restore the file, or the database: one that was set aside is in a folder named ${dirname(data)}.<time>; ` +
      `exchange it with ${dirname(data)}`,
  )
}
