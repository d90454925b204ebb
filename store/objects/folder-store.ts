import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { checkedName, type ObjectStore, ObjectStoreError } from './object-store.ts'

/** Files that are being written. Files that a crash leaves here are not needed. */
const DRAFTS = '.drafts'
/** No write of a picture takes longer. File times come from the machine's own clock. */
const DRAFT_MS = 3_600_000

/**
 * Returns a store of objects as files under a folder that only its owner can read. The folder is created when the
 * first object is stored.
 */
export function createFolderStore(folder: string): ObjectStore {
  const drafts = join(folder, DRAFTS)
  const fileOf = (name: string) => join(folder, ...checkedName(name).split('/'))
  let ready: Promise<void> | null = null

  async function prepare(): Promise<void> {
    await mkdir(drafts, { recursive: true, mode: 0o700 })
    // An existing folder may be open to other users.
    await chmod(folder, 0o700)
    await forgetDrafts(drafts)
  }

  return {
    async put(name, bytes) {
      const file = fileOf(name)
      const draft = join(drafts, randomUUID())
      try {
        await (ready ??= prepare())
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        await writeWhole(draft, bytes)
        await rename(draft, file)
        await syncFolder(dirname(file))
      } catch (cause) {
        ready = null
        await rm(draft, { force: true }).catch(() => {})
        throw fault('written', name, cause)
      }
    },
    async get(name) {
      try {
        return await readFile(fileOf(name))
      } catch (cause) {
        if (isMissing(cause)) return null
        throw fault('read', name, cause)
      }
    },
    async remove(name) {
      try {
        await unlink(fileOf(name))
      } catch (cause) {
        if (!isMissing(cause)) throw fault('deleted', name, cause)
      }
    },
    async *names() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
        if (isMissing(error)) return []
        throw fault('listed', folder, error)
      })
      for (const entry of entries) {
        const name = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')
        if (entry.isFile() && !name.startsWith(`${DRAFTS}/`)) yield name
      }
    },
    close: () => Promise.resolve(),
  }
}

/** Deletes drafts of a process that crashed while it wrote them. */
async function forgetDrafts(drafts: string): Promise<void> {
  for (const draft of await readdir(drafts)) {
    const file = join(drafts, draft)
    const written = await stat(file).catch(() => null)
    if (written && Date.now() - written.mtimeMs > DRAFT_MS) await rm(file, { force: true })
  }
}

async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Flushes the folder, so that the new name is on the disk too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

function fault(verb: string, name: string, cause: unknown): Error {
  if (cause instanceof TypeError) return cause
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  return new ObjectStoreError(`a picture could not be ${verb}${code}: ${name}`, { cause })
}
