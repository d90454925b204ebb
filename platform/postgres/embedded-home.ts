import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { isReachable } from '../reachable.ts'
import { ensureTrustedFolder } from '../stage.ts'
import type { UnprivilegedUser } from '../unprivileged-user.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'

const RECORD = 'embedded.json'
/** The password of the database's superuser. */
export const PASSWORD = 'postgres-password'
const SYSTEM_HOMES = '/var/lib/tidemark'
const SEARCH = 0o1

export interface EmbeddedHome {
  /** Contains `postgres` (the data), `run` (the socket) and copies of programs. */
  folder: string
  /** Null: programs run as this process's own account. */
  user: UnprivilegedUser | null
}

interface HomeOptions {
  user: UnprivilegedUser | null
  systemHomes?: string | undefined
  log: EmbeddedLog
}

/**
 * Returns the folder for the data of programs that run as `user`. That is the data directory itself, or, where `user`
 * cannot enter it, a folder below `systemHomes` (as root only). It is recorded in `<dataDir>/embedded.json`, so that
 * every later start finds the same data and uses the same account. A record that was lost is written again.
 */
export async function openEmbeddedHome(dataDir: string, options: HomeOptions): Promise<EmbeddedHome> {
  const { user } = options
  const root = await realpath(dataDir)
  const recorded = await readRecord(root)
  if (recorded !== null) return recorded
  const found = await unrecordedFolder(root, options.systemHomes)
  const folder = found ?? (await chooseFolder(root, options))
  const home = { folder, user: found !== null && user !== null ? ((await accountOf(folder)) ?? user) : user }
  const record = { home: folder === root ? '.' : folder, ...home.user }
  const draft = join(root, `${RECORD}.${process.pid}`)
  await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 })
  await rename(draft, join(root, RECORD))
  return home
}

/**
 * Returns the folder of the database that belongs to this data directory; null when there is none yet, or no such
 * directory. Throws an EmbeddedPostgresError when its record cannot be used.
 */
export async function existingDatabase(dataDir: string): Promise<string | null> {
  const root = await realpath(dataDir).catch(() => null)
  const folder = root && ((await readRecord(root))?.folder ?? (await unrecordedFolder(root)))
  const data = folder && join(folder, 'postgres')
  return data !== null && (await exists(data)) ? data : null
}

/**
 * Returns where the database is when its record was lost; null when there is none. A database in the system's folder
 * belongs to this data directory only while its password exists: otherwise that was another directory at this path.
 */
async function unrecordedFolder(root: string, systemHomes = SYSTEM_HOMES): Promise<string | null> {
  if (await exists(join(root, 'postgres'))) return root
  if (process.geteuid?.() !== 0 || !(await exists(join(root, PASSWORD)))) return null
  const folder = systemHome(root, systemHomes)
  return (await exists(join(folder, 'postgres'))) ? folder : null
}

const exists = async (path: string): Promise<boolean> => (await lstat(path).catch(() => null)) !== null

const systemHome = (root: string, systemHomes: string): string =>
  join(systemHomes, createHash('sha256').update(root).digest('hex').slice(0, 12))

async function readRecord(root: string): Promise<EmbeddedHome | null> {
  const path = join(root, RECORD)
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) return null
  const record = parseRecord(text)
  if (record === null)
    throw new EmbeddedPostgresError('unusable_data', `${path} is damaged; it records where the database is`)
  const folder = resolve(root, record.home)
  if (!(await exists(folder))) {
    const advice = 'restore that folder, or remove the data directory to start with an empty database'
    throw new EmbeddedPostgresError(
      'unusable_data',
      `${path} says that the database is in ${folder}, which is missing: ${advice}`,
    )
  }
  const self = process.geteuid?.()
  const user = record.uid === undefined || record.gid === undefined ? null : { uid: record.uid, gid: record.gid }
  if (user !== null && self !== 0 && self !== user.uid) {
    throw new EmbeddedPostgresError(
      'unusable_data',
      `the database in ${folder} was made by root: start as root, or use another data directory`,
    )
  }
  return { folder, user: self === 0 ? (user ?? (await ownerOf(folder))) : null }
}

function parseRecord(text: string): { home: string; uid?: number; gid?: number } | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('home' in value) || typeof value.home !== 'string') return null
    const uid = 'uid' in value && typeof value.uid === 'number' ? { uid: value.uid } : {}
    const gid = 'gid' in value && typeof value.gid === 'number' ? { gid: value.gid } : {}
    return { home: value.home, ...uid, ...gid }
  } catch {
    return null
  }
}

// Data that an ordinary user created is run as that user, even when root starts it later.
async function ownerOf(folder: string): Promise<UnprivilegedUser> {
  const account = await accountOf(folder)
  if (account !== null) return account
  const message = `${folder} belongs to root, but records no account to run Postgres as`
  throw new EmbeddedPostgresError('unusable_data', message)
}

async function accountOf(folder: string): Promise<UnprivilegedUser | null> {
  const { uid, gid } = await lstat(join(folder, 'postgres')).catch(() => lstat(folder))
  return uid === 0 ? null : { uid, gid }
}

async function chooseFolder(root: string, { user, systemHomes = SYSTEM_HOMES, log }: HomeOptions): Promise<string> {
  if (user === null) return root
  if (await isReachable(dirname(root), user, SEARCH)) {
    // Search permission only: the files in it keep their own modes.
    await chmod(root, (await lstat(root)).mode | 0o111)
    return root
  }
  const folder = systemHome(root, systemHomes)
  try {
    await ensureTrustedFolder(systemHomes)
    await setAside(folder, log)
    await ensureTrustedFolder(folder)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const advice = 'set TIDEMARK_DATA_DIR to a folder that other users may enter, or DATABASE_URL'
    throw new EmbeddedPostgresError(
      'failed',
      `Postgres does not run as root, and no other account can enter ${relative('/', root)}: ${reason}; ${advice}`,
    )
  }
  await mkdir(folder, { recursive: true })
  return folder
}

// The data directory of this folder was removed, and with it the password of its database. It may come back, so no
// database is ever deleted.
async function setAside(folder: string, log: EmbeddedLog): Promise<void> {
  if (!(await exists(folder))) return
  const kept = `${folder}.${new Date().toISOString().replaceAll(/[-:]/g, '')}`
  await rename(folder, kept)
  log.warn(`the data directory of the database in ${folder} is gone; that database is set aside in ${kept}`)
}
