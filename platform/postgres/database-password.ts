import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns the superuser's password from `<dataDir>/postgres-password` (mode 0600). The first start creates it. */
export async function databasePassword(dataDir: string): Promise<string> {
  const path = join(dataDir, 'postgres-password')
  const found = await readFile(path, 'utf8').catch(() => '')
  if (found.trim() !== '') return found.trim()
  const password = randomBytes(24).toString('base64url')
  await writeFile(path, `${password}\n`, { mode: 0o600 })
  return password
}
