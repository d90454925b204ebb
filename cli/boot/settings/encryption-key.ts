import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { SettingsError, type Settings } from './read-config.ts'

/**
 * Returns the key for secrets at rest: the setting, or a key that is created once and stored in the data directory,
 * readable by its owner only.
 */
export async function encryptionKey(settings: Settings): Promise<string> {
  if (settings.TIDEMARK_ENCRYPTION_KEY !== undefined) return settings.TIDEMARK_ENCRYPTION_KEY
  const file = join(settings.TIDEMARK_DATA_DIR, 'encryption-key')
  await mkdir(settings.TIDEMARK_DATA_DIR, { recursive: true, mode: 0o700 })
  return (await keyIn(file)) ?? (await makeKey(file))
}

async function keyIn(file: string): Promise<string | null> {
  try {
    const key = (await readFile(file, 'utf8')).trim()
    if (key === '') throw new SettingsError([{ path: file, message: 'is empty: put the key back from a backup' }])
    return key
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/**
 * Creates the key file completely or not at all: a start that dies here must not leave an invalid key. When two
 * processes start together, the key of the first one stays.
 */
async function makeKey(file: string): Promise<string> {
  const draft = `${file}.${process.pid}`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(`${randomBytes(32).toString('base64')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await link(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await unlink(draft)
  }
  return (await readFile(file, 'utf8')).trim()
}
