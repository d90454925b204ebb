import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { textOfBytes } from '../core/text/text-of-bytes.ts'
import type { ManifestText } from './manifest.ts'
import { fileFault, type ManifestFault } from './places.ts'
import { MAX_BYTES, TOO_LARGE } from './read-manifests.ts'

/** The files of a folder that may have manifests, and what could not be read. */
interface ManifestFolder {
  readonly texts: readonly ManifestText[]
  readonly faults: readonly ManifestFault[]
  /** When something of it was written last, in milliseconds since 1970. */
  readonly writtenAt: number
}

const NAMES = /\.(ya?ml|json)$/i

/**
 * Reads the files `*.yaml`, `*.yml` and `*.json` of a folder and of the folders in it, in the order of their names.
 * Hidden ones are left out. Files have their paths from the folder on.
 */
export async function readFolder(folder: string): Promise<ManifestFolder> {
  const texts: ManifestText[] = []
  const faults: ManifestFault[] = []
  const fault = (path: string, why: string) => void faults.push(fileFault(relative(folder, path) || folder, why))
  const found: Found = {
    paths: [],
    seen: new Set(),
    writtenAt: 0,
    onFault: (path, error) => fault(path, typeof error === 'string' ? error : reasonOf(error)),
  }
  await lookIn(folder, found)
  for (const path of found.paths)
    try {
      const text = textOfBytes(await readFile(path))
      if (text === null) fault(path, 'is not UTF-8: save it in this encoding')
      else texts.push({ file: relative(folder, path), text })
    } catch (error) {
      found.onFault(path, error)
    }
  return { texts, faults, writtenAt: found.writtenAt }
}

/**
 * Does the same when nobody has written into the folder for some time: files are written in several steps, and several
 * files one after the other. One that is written into without a pause is read in the end.
 */
export async function readQuietFolder(folder: string, quietMs: number): Promise<ManifestFolder> {
  for (let attempt = 1; ; attempt++) {
    const read = await readFolder(folder)
    const age = Date.now() - read.writtenAt
    if (age < 0 || age >= quietMs || attempt === MAX_ATTEMPTS) return read
    await pause(quietMs - age)
  }
}

const MAX_ATTEMPTS = 10

interface Found {
  readonly paths: string[]
  /** The folders that were read, by what the file system knows them by: a link may lead back to one of them. */
  readonly seen: Set<string>
  writtenAt: number
  /** `error`: what the file system said, or a sentence about the file. */
  onFault(path: string, error: unknown): void
}

async function lookIn(folder: string, found: Found): Promise<void> {
  const { paths, seen, onFault } = found
  let names: readonly string[]
  try {
    const { dev, ino, ctimeMs } = await stat(folder)
    found.writtenAt = Math.max(found.writtenAt, ctimeMs)
    if (seen.has(`${dev} ${ino}`)) return
    seen.add(`${dev} ${ino}`)
    names = await readdir(folder)
  } catch (error) {
    return onFault(folder, error)
  }
  for (const name of names.toSorted()) {
    if (name.startsWith('.')) continue
    const path = join(folder, name)
    try {
      // Files of a mounted ConfigMap are links.
      const entry = await stat(path)
      if (entry.isDirectory()) await lookIn(path, found)
      else if (entry.isFile() && NAMES.test(name) && entry.size > MAX_BYTES) onFault(path, TOO_LARGE)
      else if (entry.isFile() && NAMES.test(name)) {
        paths.push(path)
        found.writtenAt = Math.max(found.writtenAt, entry.ctimeMs)
      }
    } catch (error) {
      onFault(path, error)
    }
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOTDIR') return 'is a file, and not a folder: name the folder that it is in'
  return code === 'ENOENT' ? 'is not there, or leads to what is not there' : `cannot be read: ${code ?? String(error)}`
}
