import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { UnprivilegedUser } from './unprivileged-user.ts'

const SEARCH = 0o1
const READ_AND_SEARCH = 0o5

/**
 * Returns whether `user` (null: this process's own) has the permission `bits` (of rwx) on `path`, and may enter every
 * folder above it.
 */
export async function isReachable(
  path: string,
  user: UnprivilegedUser | null,
  bits = READ_AND_SEARCH,
): Promise<boolean> {
  if (user === null) return true
  const real = await realpath(path)
  if (!allows(await stat(real), user, bits)) return false
  for (let folder = dirname(real), last = real; folder !== last; last = folder, folder = dirname(folder)) {
    if (!allows(await stat(folder), user, SEARCH)) return false
  }
  return true
}

// The account has only its primary group: supplementary groups are dropped when a child is started as another user.
function allows(stats: Stats, user: UnprivilegedUser, bits: number): boolean {
  const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0
  return ((stats.mode >> shift) & bits) === bits
}
