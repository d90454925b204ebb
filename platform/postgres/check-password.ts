import { dirname, join } from 'node:path'
import pg from 'pg'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'

const WRONG_PASSWORD = '28P01'

/**
 * Throws an `EmbeddedPostgresError` when the password in the data directory is not the password of the database: one of
 * the two was exchanged.
 */
export async function checkPassword(url: string, { dataDir, data }: { dataDir: string; data: string }): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tidemark start',
    connectionTimeoutMillis: 10_000,
  })
  try {
    await client.connect()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === WRONG_PASSWORD)) throw error
    throw new EmbeddedPostgresError('unusable_data', mismatch(join(dataDir, 'postgres-password'), data))
  } finally {
    await client.end()
  }
}

const mismatch = (file: string, data: string) =>
  `${file} and the database in ${data} do not match: one of them was removed or restored without the other. ` +
  `Restore the file, or the database: one that was set aside is in a folder named ${dirname(data)}.<time>; ` +
  `exchange it with ${dirname(data)}`
