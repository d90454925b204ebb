import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it. Rejects with the system's error. Node's own `recursive` never ends where a file
 * system answers ENOENT for a new folder in one that exists, as procfs does.
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(folder, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await isFolder(folder))) return
    const above = dirname(folder)
    if (code !== 'ENOENT' || above === folder || (await isFolder(above))) throw error
    await makeFolder(above, mode)
    await makeFolder(folder, mode)
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
