import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PASSWORD } from './embedded-home.ts'

/** Returns the superuser's password from `<dataDir>/postgres-password`; null when it is not there. */
export async function storedPassword(dataDir: string): Promise<string | null> {
  const found = await readFile(join(dataDir, PASSWORD), 'utf8').catch(() => '')
  return found.trim() === '' ? null : found.trim()
}

/** Returns the superuser's password for a database that is to be made. It is stored before (mode 0600). */
export async function databasePassword(dataDir: string): Promise<string> {
  const path = join(dataDir, PASSWORD)
  const found = await storedPassword(dataDir)
  if (found !== null) return found
  const password = randomBytes(24).toString('base64url')
  await writeFile(path, `${password}\n`, { mode: 0o600 })
  return password
}
