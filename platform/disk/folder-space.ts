import { statfs } from 'node:fs/promises'

/** Bytes of the file system that a folder is on. */
interface FolderSpace {
  readonly used: number
  /** Bytes used, and those that a process without privileges can still use, as `df` counts them. */
  readonly size: number
}

/** Returns the figures of the fullest file system that one of the folders is on. Null: none of them exists yet. */
export async function fullestFolder(folders: readonly string[]): Promise<FolderSpace | null> {
  let fullest: FolderSpace | null = null
  for (const folder of folders) {
    const found = await spaceOf(folder)
    if (found && (fullest === null || found.used / found.size > fullest.used / fullest.size)) fullest = found
  }
  return fullest
}

async function spaceOf(folder: string): Promise<FolderSpace | null> {
  try {
    const { blocks, bfree, bavail, bsize } = await statfs(folder)
    const used = (blocks - bfree) * bsize
    const size = used + bavail * bsize
    // Some network file systems do not know their size.
    return size > 0 ? { used, size } : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
