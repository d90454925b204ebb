import { lstat, opendir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The size of the files that `npm ci` installs, in bytes. */
export interface SetUpSize {
  readonly all: number
  /** Without the packages that are only needed for development. */
  readonly production: number
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
}

const FOLDER = join(import.meta.dirname, '../../node_modules')

/** Adds up the sizes of the installed packages. npm's list of them shows which are only for development. */
export async function measureSetUpSize(): Promise<SetUpSize> {
  const lock = JSON.parse(await readFile(join(FOLDER, '.package-lock.json'), 'utf8')) as Lock
  const seen = new Set<number>()
  let dev = 0
  for (const [path, { dev: isDev }] of Object.entries(lock.packages))
    if (isDev) dev += await bytesOf(join(FOLDER, '..', path), seen)
  // What the tools of development write there later is not installed.
  await bytesOf(join(FOLDER, '.cache'), seen)
  const all = dev + (await bytesOf(FOLDER, seen))
  return { all, production: all - dev }
}

/**
 * Returns the bytes of a folder's files that were not counted yet. A file with two hard links is one file on the disk.
 * Symbolic links are not counted.
 */
export async function bytesOf(folder: string, seen: Set<number>): Promise<number> {
  let bytes = 0
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await bytesOf(path, seen)
    if (!entry.isFile()) continue
    const { ino, size } = await lstat(path)
    if (!seen.has(ino)) bytes += size
    seen.add(ino)
  }
  return bytes
}
