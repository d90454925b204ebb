import { chmod, chown, cp, lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isReachable } from './reachable.ts'
import type { UnprivilegedUser } from './unprivileged-user.ts'

/**
 * Where `source`, a folder of programs, can be used by `user`: where it is, or a copy of it at `<folder>/<name>` when
 * some folder above it is closed to that user (a clone in a 0700 folder). `name` carries the version, so that an update
 * makes a copy of its own.
 *
 * `folder` must have passed `ensureTrustedFolder`. The copy belongs to us and is read-only for the user.
 */
export async function stageForUnprivileged(
  source: string,
  staged: { folder: string; name: string; user: UnprivilegedUser | null },
): Promise<string> {
  if (await isReachable(source, staged.user)) return source
  const target = join(staged.folder, staged.name)
  if (await exists(target)) return target
  const draft = `${target}.${process.pid}`
  await rm(draft, { recursive: true, force: true })
  await cp(source, draft, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false })
  await openForReading(draft)
  // Complete or absent: a start that was killed half-way leaves only a draft. Losing a race to another start is as good
  // as winning it.
  await rename(draft, target).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true })
    if (!(await exists(target))) throw error
  })
  return target
}

/**
 * Makes `folder` if need be, and refuses it unless nobody but we can change what lies in it: it and all above it belong
 * to us or to root and are not writable by others. (A sticky shared folder above it is fine: what is ours in there
 * cannot be replaced.)
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

/** An empty folder that only `user` (null: ourselves) can enter. */
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
