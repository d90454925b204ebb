import { randomUUID } from 'node:crypto'
import { constants, link, lstat, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Replaces a file at once, or not at all, by one that only this account may read. It survives a crash of the
 * machine. `isStillRight` is asked last, when the text is on the disk already. Returns whether the file was replaced.
 * Rejects with the system's error.
 */
export async function replacePrivateFile(
  file: string,
  text: string,
  isStillRight: () => boolean = () => true,
): Promise<boolean> {
  const draft = await writeDraft(file, text)
  try {
    if (!isStillRight()) return false
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
  const folder = await open(dirname(file))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
  return true
}

/**
 * Rejects with the system's error where the file could not be replaced. It is not touched: a process that shares it may
 * replace it now. Removes the drafts of processes that were killed.
 */
export async function tryToReplace(file: string): Promise<void> {
  await removeOldDrafts(file)
  await rm(await writeDraft(file, ''))
  // A file that is mounted by itself cannot be replaced in its folder. A second name of it there is refused as well.
  const second = draftOf(file)
  try {
    await link(file, second)
  } catch (error) {
    // Others say nothing about a replacement: there is no file yet, or the file system has no second names.
    if ((error as NodeJS.ErrnoException).code === 'EXDEV') throw error
  } finally {
    await rm(second, { force: true })
  }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
/** What is younger may be the draft of a process that shares the file. */
const OLD_MS = 600_000

async function removeOldDrafts(file: string): Promise<void> {
  const [folder, start] = [dirname(file), `${basename(file)}.`]
  const names = (await readdir(folder)).filter((name) => name.startsWith(start) && UUID.test(name.slice(start.length)))
  for (const draft of names.map((name) => join(folder, name))) {
    const found = await lstat(draft).catch(() => null)
    if (found?.isFile() && found.mtimeMs < Date.now() - OLD_MS) await rm(draft, { force: true })
  }
}

const draftOf = (file: string): string => `${file}.${randomUUID()}`

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
  const draft = draftOf(file)
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
