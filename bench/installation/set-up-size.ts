import type { Stats } from 'node:fs'
import { lstat, opendir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What `npm ci` takes of the disk, in bytes, as `du` counts it: in whole blocks, with the folders. */
export interface SetUpSize {
  readonly all: number
  /** Without the packages that are only needed for development. */
  readonly production: number
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
}

const FOLDER = join(import.meta.dirname, '../../node_modules')
/** What the tools of development write there later is not installed. */
const WRITTEN_LATER = /^\.(?:cache|vite)/

/** Most that `npm ci` may take of the disk, in bytes: of all packages, and of those that run it. */
export const MAX_SET_UP: SetUpSize = { all: 700_000_000, production: 400_000_000 }
/** The size of a block in `Stats`, whatever that of the file system is. */
const BLOCK_BYTES = 512

/** Adds up the installed packages. npm's list of them shows which are only for development. */
export async function measureSetUpSize(): Promise<SetUpSize> {
  const lock = JSON.parse(await readFile(join(FOLDER, '.package-lock.json'), 'utf8')) as Lock
  const seen = new Set<number>()
  let dev = 0
  for (const [path, { dev: isDev }] of Object.entries(lock.packages))
    if (isDev) dev += await bytesOf(join(FOLDER, '..', path), seen, onDisk)
  for (const name of await readdir(FOLDER))
    if (WRITTEN_LATER.test(name)) await bytesOf(join(FOLDER, name), seen, onDisk)
  const all = dev + (await bytesOf(FOLDER, seen, onDisk))
  return { all, production: all - dev }
}

const onDisk = ({ blocks }: Stats): number => blocks * BLOCK_BYTES
const inFile = (stats: Stats): number => (stats.isFile() ? stats.size : 0)

/**
 * Returns the bytes of a folder and of what is in it that were not counted yet. A file with two hard links is one file
 * on the disk. Symbolic links are not counted. `sizeOf`: what counts of one; default: the length of a file.
 */
export async function bytesOf(folder: string, seen: Set<number>, sizeOf = inFile): Promise<number> {
  let bytes = await countOne(folder, seen, sizeOf)
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await bytesOf(path, seen, sizeOf)
    else if (entry.isFile()) bytes += await countOne(path, seen, sizeOf)
  }
  return bytes
}

async function countOne(path: string, seen: Set<number>, sizeOf: (stats: Stats) => number): Promise<number> {
  // Programs that run write their caches anew while they are counted.
  const stats = await lstat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  })
  if (stats === null || seen.has(stats.ino)) return 0
  seen.add(stats.ino)
  return sizeOf(stats)
}
