import { randomBytes } from 'node:crypto'
import { access, constants, link, lstat, open, readFile, readlink, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createWakeableLoop } from '../../concurrency/loops/wakeable-loop.ts'
import { listedKeys } from '../../core/derived-key.ts'
import { ExplainedError } from '../../core/explained-error.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { existingDatabase } from '../../platform/postgres/embedded-home.ts'
import { embeddedBinaries } from '../../platform/postgres/postgres-binaries.ts'
import type { Settings } from './read-config.ts'
import { SHORTEST_KEY } from './unreadable-settings.ts'

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
 * but no key, or a key that is too short for a new one.
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
  const kept = await keyIn(file)
  const database = await existingDatabase(folder)
  if (kept === null) return makeKey(file, database)
  // A database that exists needs the key that it was set up with, whatever that is.
  if (database === null && listedKeys(kept).some((key) => key.length < SHORTEST_KEY))
    throw new DataFolderError(
      `${file} has a key of fewer than ${SHORTEST_KEY} characters: remove the file, and the next start makes a key`,
    )
  return kept
}

async function openDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder, 0o700)
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
  ENOENT: 'no folder can be made there',
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
  try {
    await linkOnce(await draftOf(file, newKey()), file)
  } catch (error) {
    throw unusable(dirname(file), error)
  }
  return (await readFile(file, 'utf8')).trim()
}

/**
 * Puts a new key before the one in the file, and returns both. A list that exists already stays: its rotation was not
 * completed.
 */
export async function addKeyToFile(settings: Settings): Promise<string> {
  const file = keyFile(settings)
  const list = (await keyIn(file)) ?? ''
  if (listedKeys(list).length !== 1) return list
  const longer = `${newKey()},${list}`
  await replaceKeys(file, longer)
  return longer
}

/**
 * Removes the older keys of this list from the file. Nothing may need them any more. Throws an ExplainedError when the
 * file has another list by now.
 */
export async function keepNewestInFile(settings: Settings, list: string): Promise<void> {
  const file = keyFile(settings)
  if ((await keyIn(file)) !== list)
    throw new DataFolderError(`${file} was changed meanwhile and stays as it is: look at it, and run this again`)
  await replaceKeys(file, listedKeys(list)[0] ?? list)
}

const newKey = (): string => randomBytes(32).toString('base64')

/**
 * Replaces the keys in a file at once, or not at all. The file keeps its owner, group and mode: the account of the
 * server has to read it, also when root runs the command.
 */
async function replaceKeys(file: string, text: string): Promise<void> {
  const path = await linkedFile(file)
  try {
    const draft = await draftOf(path, text, await lstat(path))
    await rename(draft, path).catch(async (error: unknown) => {
      await unlink(draft)
      throw error
    })
    // Rows are encrypted with the new key from now on. A crash of the machine must not bring the old file back.
    const folder = await open(dirname(path))
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new DataFolderError(
      `the encryption key in ${path} cannot be replaced (${code}); run this as the account that the file belongs to, ` +
        'or as root. Where the file is mounted read-only, replace it there: put a new key and a comma before the ' +
        'old one',
      { cause: error },
    )
  }
}

const LONGEST_CHAIN = 8

/** Returns the file that symbolic links lead to. Links of other accounts are not followed: they could lead anywhere. */
async function linkedFile(file: string): Promise<string> {
  const self = process.geteuid?.()
  let path = file
  for (let links = 0; links < LONGEST_CHAIN; links++) {
    const found = await lstat(path)
    if (!found.isSymbolicLink()) return path
    if (self !== undefined && found.uid !== 0 && found.uid !== self)
      throw new DataFolderError(
        `${path} is a symbolic link that belongs to another account (${found.uid}); run this as that account`,
      )
    path = resolve(dirname(path), await readlink(path))
  }
  throw new DataFolderError(`${file} leads over more than ${LONGEST_CHAIN} symbolic links`)
}

interface Permissions {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

/** Gives a draft its name, unless a file has it. */
async function linkOnce(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(draft)
  }
}

/**
 * Writes a complete file beside the one that it is to replace. Its name is not guessable, and no existing file is
 * opened: root may run this in a folder of another account.
 */
async function draftOf(file: string, text: string, like?: Permissions): Promise<string> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    if (like) {
      await handle.chown(like.uid, like.gid)
      await handle.chmod(like.mode & 0o777)
    }
    await handle.writeFile(`${text}\n`)
    await handle.sync()
  } catch (error) {
    await unlink(draft)
    throw error
  } finally {
    await handle.close()
  }
  return draft
}

interface Follower {
  /** The content of the file that is in use. */
  readonly known: string
  /** Takes up another content. Is called again until it resolves. */
  takeUp(keys: string): Promise<void>
  /** Called once for each fault. */
  onFault(fault: unknown): void
}

/** A key file that is followed. */
interface FollowedFile {
  /** Looks at the file now. */
  look(): Promise<void>
  /** Looks at it every second from now on. */
  follow(): void
  /** Stops, and waits for a content that is being taken up. */
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 1_000

/** Follows the keys in a file, which a rotation replaces. A content that could not be taken up is tried again. */
export function followKeys(file: string, { known, takeUp, onFault }: Follower): FollowedFile {
  let used = known
  let reported: string | null = null

  async function compare(): Promise<number> {
    const text = (await readFile(file, 'utf8')).trim()
    if (text !== used) await takeUp(text)
    used = text
    reported = null
    return LOOK_EVERY_MS
  }

  function report(fault: unknown): void {
    if (reported !== String(fault)) onFault(fault)
    reported = String(fault)
  }

  const faultPauses = { firstMs: LOOK_EVERY_MS, longestMs: LOOK_EVERY_MS }
  const loop = createWakeableLoop({ work: compare, onFault: report, faultPauses })
  return {
    look: async () => void (await compare().catch(report)),
    follow: () => loop.start(LOOK_EVERY_MS),
    stop: () => loop.stop(),
  }
}
