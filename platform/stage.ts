import { chmod, chown, cp, lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isReachable } from './reachable.ts'
import type { UnprivilegedUser } from './unprivileged-user.ts'

/**
 * Returns a folder where `user` can use the programs of `source`. That is `source` itself, or a copy at
 * `<folder>/<name>` when the user cannot enter some folder above it (a clone in a 0700 folder). `name` contains the
 * version, so that an update makes a new copy.
 *
 * `folder` must have passed `ensureTrustedFolder`. The copy belongs to this process's account and is read-only for the
 * user.
 */
export async function stageForUnprivileged(
  source: string,
  staged: { folder: string; name: string; user: UnprivilegedUser | null; onCopy?: (target: string) => void },
): Promise<string> {
  if (await isReachable(source, staged.user)) return source
  const target = join(staged.folder, staged.name)
  if (await exists(target)) return target
  staged.onCopy?.(target)
  const draft = `${target}.${process.pid}`
  await rm(draft, { recursive: true, force: true })
  await cp(source, draft, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false })
  await openForReading(draft)
  // The target is complete or absent: a start that was killed leaves only a draft. When another start wins the race,
  // its copy is used.
  await rename(draft, target).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true })
    if (!(await exists(target))) throw error
  })
  return target
}

/**
 * Creates `folder` if necessary, and refuses it unless only this account and root can change its content: the folder
 * and all above it must belong to this account or to root and must not be writable by others. (A sticky shared folder
 * above it is allowed: entries of this account in it cannot be replaced.)
 */
export async function ensureTrustedFolder(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const made = await mkdir(folder, { mode: 0o711 }).then(
    () => true,
    () => false,
  )
  if (made) await chmod(folder, 0o711)
  const self = process.geteuid?.() ?? 0
  const real = join(await realpath(dirname(folder)), basename(folder))
  for (let path = real, last = ''; path !== last; last = path, path = dirname(path)) {
    const stats = await lstat(path)
    const shared = (stats.mode & 0o022) !== 0 && (path === real || (stats.mode & 0o1000) === 0)
    if (!stats.isDirectory() || (stats.uid !== 0 && stats.uid !== self) || shared) {
      throw new Error(`${path} is not a folder that only its owner (root, or this process's user) can change`)
    }
  }
}

/** Creates an empty folder that only `user` (null: this process's own) can enter. */
export async function makePrivateFolder(folder: string, user: UnprivilegedUser | null): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  if (user !== null) await chown(folder, user.uid, user.gid)
}

async function openForReading(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openForReading(path)
    else if (entry.isFile()) await chmod(path, ((await lstat(path)).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
