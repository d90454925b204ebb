import { randomBytes } from 'node:crypto'
import { access, constants, link, mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { listedKeys } from '../../../core/derived-key.ts'
import { ExplainedError } from '../../../core/explained-error.ts'
import { existingDatabase } from '../../../platform/postgres/embedded-home.ts'
import { embeddedBinaries } from '../../../platform/postgres/postgres-binaries.ts'
import type { Settings } from './read-config.ts'

/** The data directory, or the key in it, cannot be used. */
class DataFolderError extends ExplainedError {
  override readonly name = 'DataFolderError'
}

/** The file of the key, where TIDEMARK_ENCRYPTION_KEY is not set. */
export const keyFile = ({ TIDEMARK_DATA_DIR }: Pick<Settings, 'TIDEMARK_DATA_DIR'>): string =>
  join(resolve(TIDEMARK_DATA_DIR), 'encryption-key')

/**
 * Returns the keys for secrets at rest: the setting, or a key that is created once and stored in the data directory,
 * readable by its owner only. Throws an ExplainedError when the directory cannot be used, and when it has a database
 * but no key.
 */
export async function encryptionKey(settings: Settings): Promise<string> {
  const folder = resolve(settings.TIDEMARK_DATA_DIR)
  if (settings.DATABASE_URL === undefined) {
    // A machine without an embedded Postgres gets no folder for it.
    await embeddedBinaries()
    await openDataFolder(folder)
  }
  if (settings.TIDEMARK_ENCRYPTION_KEY !== undefined) return settings.TIDEMARK_ENCRYPTION_KEY
  const file = keyFile(settings)
  return (await keyIn(file)) ?? (await makeKey(file, await existingDatabase(folder)))
}

async function openDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unusable(folder, error)
  }
}

function unusable(folder: string, error: unknown): DataFolderError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  return new DataFolderError(
    `the data folder ${folder} cannot be used: ${REASONS[code] ?? code}; set TIDEMARK_DATA_DIR to a folder that ` +
      'this user can write to',
  )
}

/**
 * Returns whether the settings name a database that exists; a DATABASE_URL always does. Throws an ExplainedError when
 * the data directory cannot be used.
 */
export async function hasInstallation(settings: Settings): Promise<boolean> {
  if (settings.DATABASE_URL !== undefined) return true
  const folder = resolve(settings.TIDEMARK_DATA_DIR)
  try {
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(folder), { code: 'ENOTDIR' })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw unusable(folder, error)
  }
  return (await existingDatabase(folder)) !== null
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'it is a file, or is below one',
  EACCES: 'this user may not write to it',
  EPERM: 'this user may not write to it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its file system is full',
}

async function keyIn(file: string): Promise<string | null> {
  const key = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new DataFolderError(`the encryption key in ${file} cannot be read by this user (${error.code})`)
  })
  if (key?.trim() === '') throw new DataFolderError(`${file} is empty: put the key back from a backup`)
  return key?.trim() ?? null
}

/**
 * Creates the key file completely or not at all: a start that dies here must not leave an invalid key. When two
 * processes start together, the key of the first one stays. A new key would not open the secrets of a database that
 * exists.
 */
async function makeKey(file: string, database: string | null): Promise<string> {
  if (database !== null)
    throw new DataFolderError(
      `the encryption key is missing: it was in ${file}, and the database in ${database} was set up with it; put the ` +
        'file back from a backup, or set TIDEMARK_ENCRYPTION_KEY to its text',
    )
  const draft = await draftOf(file, newKey())
  try {
    await link(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await unlink(draft)
  }
  return (await readFile(file, 'utf8')).trim()
}

/**
 * Puts a new key before the one in the file, and returns both. A list that is there already stays: its rotation did not
 * come to its end.
 */
export async function addKeyToFile(settings: Settings): Promise<string> {
  const file = keyFile(settings)
  const list = (await keyIn(file)) ?? ''
  if (listedKeys(list).length !== 1) return list
  const longer = `${newKey()},${list}`
  await rename(await draftOf(file, longer), file)
  return longer
}

/** Removes the older keys from the file. Nothing may need them any more. */
export async function keepNewestInFile(settings: Settings): Promise<void> {
  const file = keyFile(settings)
  const [newest = ''] = listedKeys((await keyIn(file)) ?? '')
  if (newest !== '') await rename(await draftOf(file, newest), file)
}

const newKey = (): string => randomBytes(32).toString('base64')

/** Writes a complete file beside the one that it is to replace. */
async function draftOf(file: string, text: string): Promise<string> {
  const draft = `${file}.${process.pid}`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(`${text}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return draft
}
