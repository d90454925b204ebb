import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

/** A file of store/migrations/, in the order of its number. */
export interface Migration {
  readonly name: string
  readonly sql: string
  /** SHA-256 of the text, in hexadecimal digits. */
  readonly checksum: string
}

/** A file that was applied, according to the store. */
export interface AppliedMigration {
  readonly name: string
  /** Null in a store that was created before checksums were recorded. */
  readonly checksum: string | null
}

/** The migrations of this program. */
export const MIGRATIONS = new URL('../migrations/', import.meta.url)

export async function migrationsIn(folder: URL): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}
