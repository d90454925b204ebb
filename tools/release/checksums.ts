import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** The file with the checksums of all others. */
export const CHECKSUMS = 'SHA256SUMS'

/** A file of a release. */
export interface ReleasedFile {
  /** Its path in the folder of the release. */
  readonly path: string
  /** SHA-256, in hex. */
  readonly sha256: string
}

/** Returns the paths of all files below a folder, from that folder. None: there is no such folder. */
export async function pathsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  const files = entries.filter((entry) => !entry.isDirectory())
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).toSorted()
}

/** Returns all files below a folder, by path, each with its hash. */
export const filesOf = async (folder: string): Promise<readonly ReleasedFile[]> => hashed(folder, await pathsIn(folder))

/** Returns these files of a folder, each with its hash. */
export async function hashed(folder: string, paths: readonly string[]): Promise<readonly ReleasedFile[]> {
  const files: ReleasedFile[] = []
  for (const path of paths) files.push({ path, sha256: await sha256Of(join(folder, path)) })
  return files
}

/** Returns the SHA-256 of a file, in hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Returns the text that `sha256sum --check` reads. */
export const checksumsOf = (files: readonly ReleasedFile[]): string =>
  files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('')
