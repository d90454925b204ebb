import { randomUUID } from 'node:crypto'
import { constants, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file at once, or not at all, by one that only this account may read. It survives a crash of the
 * machine. Rejects with the system's error.
 */
export async function replacePrivateFile(file: string, text: string): Promise<void> {
  const draft = await writeDraft(file, text)
  await rename(draft, file).catch(async (error: unknown) => {
    await rm(draft, { force: true })
    throw error
  })
  const folder = await open(dirname(file))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Rejects with the system's error where the file could not be replaced. It is not touched. */
export async function tryToReplace(file: string): Promise<void> {
  await rm(await writeDraft(file, ''))
}

const MAX_BYTES = 4_096
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/**
 * Returns the text of a small file without the end of its line; null where there is none, or something else has its
 * name: who else writes into the folder may not be trusted. Rejects with the system's error.
 */
export async function readPrivateFile(file: string): Promise<string | null> {
  try {
    // A link could lead to a device that never ends, and a pipe would be waited for.
    await using handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, null)
    return buffer.toString('utf8', 0, bytesRead).replace(/\r?\n$/, '')
  } catch (error) {
    if (NOTHING.has(String((error as NodeJS.ErrnoException).code))) return null
    throw error
  }
}

const NOTHING: ReadonlySet<string> = new Set(['ENOENT', 'ELOOP', 'EISDIR', 'EAGAIN'])

/** A rename is atomic in one folder only. */
async function writeDraft(file: string, text: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  return draft
}
