import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { ManifestFault, ManifestText } from './read-manifests.ts'

/** The files of a folder that may have manifests, and what could not be read. */
interface ManifestFolder {
  readonly texts: readonly ManifestText[]
  readonly faults: readonly ManifestFault[]
}

const NAMES = /\.(ya?ml|json)$/i

/**
 * Reads the files `*.yaml`, `*.yml` and `*.json` of a folder and of the folders in it, in the order of their names.
 * Hidden ones are left out. Files have their paths from the folder on.
 */
export async function readFolder(folder: string): Promise<ManifestFolder> {
  const texts: ManifestText[] = []
  const faults: ManifestFault[] = []
  for (const path of await pathsIn(folder, (path, error) => void faults.push(unreadable(folder, path, error))))
    try {
      const bytes = await readFile(path)
      texts.push({ file: relative(folder, path), text: UTF8.decode(bytes) })
    } catch (error) {
      faults.push(unreadable(folder, path, error))
    }
  return { texts, faults }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

async function pathsIn(folder: string, onFault: (path: string, error: unknown) => void): Promise<string[]> {
  try {
    const found: string[] = []
    for (const name of (await readdir(folder)).toSorted()) {
      if (name.startsWith('.')) continue
      const path = join(folder, name)
      // Files of a mounted ConfigMap are links.
      const entry = await stat(path)
      if (entry.isDirectory()) found.push(...(await pathsIn(path, onFault)))
      else if (entry.isFile() && NAMES.test(name)) found.push(path)
    }
    return found
  } catch (error) {
    onFault(folder, error)
    return []
  }
}

function unreadable(folder: string, path: string, error: unknown): ManifestFault {
  const { code } = error as NodeJS.ErrnoException
  const why = code === 'ENOENT' ? 'is not there' : code === undefined ? 'is not UTF-8' : `cannot be read: ${code}`
  return {
    file: relative(folder, path) || folder,
    line: 1,
    message: code?.startsWith('ERR_ENC') ? 'is not UTF-8' : why,
  }
}
