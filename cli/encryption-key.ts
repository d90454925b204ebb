import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from './read-config.ts'

/** The key for secrets at rest: the setting, or one that is made once and kept in the data directory, readable by its owner only. */
export async function encryptionKey(settings: Settings): Promise<string> {
  if (settings.TIDEMARK_ENCRYPTION_KEY !== undefined) return settings.TIDEMARK_ENCRYPTION_KEY
  const file = join(settings.TIDEMARK_DATA_DIR, 'encryption-key')
  await mkdir(settings.TIDEMARK_DATA_DIR, { recursive: true, mode: 0o700 })
  try {
    const handle = await open(file, 'wx', 0o600)
    await handle.writeFile(`${randomBytes(32).toString('base64')}\n`)
    await handle.sync()
    await handle.close()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return (await readFile(file, 'utf8')).trim()
}
