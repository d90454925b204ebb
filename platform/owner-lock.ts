import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { EmbeddedPostgresError } from './postgres/embedded-postgres-error.ts'
import { processIdentity } from './process-identity.ts'

export interface OwnerLock {
  release(): Promise<void>
}

const LOOK_EVERY_MS = 5
/** Clearing takes less than a millisecond; whoever has been at it for so long was killed. */
const ABANDONED_MS = 5_000
const PATIENCE_MS = 2 * ABANDONED_MS

/**
 * Takes `path` for this process, or throws `in_use` naming the one that has it. What a killed process left behind is
 * replaced.
 *
 * Postgres guards its data with a file of its own, but that file names Postgres, not us: only this one tells whether
 * the server that still runs belongs to a living `npm start` or was left over by a killed one.
 */
export async function takeOwnerLock(path: string): Promise<OwnerLock> {
  const own = `${process.pid} ${(await processIdentity(process.pid)) ?? ''}\n`
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, own, { mode: 0o600 })
  try {
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
      // A link appears with its content or not at all, and never replaces another.
      if (await isDone(link(draft, path))) return { release: () => releaseOwnerLock(path, own) }
      await clearStale(path)
    }
  } finally {
    await rm(draft, { force: true })
  }
  throw new EmbeddedPostgresError('in_use', `${path} is being taken by other processes all the time`)
}

// One at a time, and judged again by the one whose turn it is: else a slow one would remove the lock of a quick one
// that came before it.
async function clearStale(path: string): Promise<void> {
  const turn = `${path}.clearing`
  if (!(await isDone(mkdir(turn)))) {
    const since = await stat(turn).catch(() => null)
    if (since !== null && Date.now() - since.mtimeMs > ABANDONED_MS) await rmdir(turn).catch(() => undefined)
    await pause(LOOK_EVERY_MS)
    return
  }
  try {
    const found = await readFile(path, 'utf8').catch(() => null)
    const [pid, identity] = (found ?? '').trim().split(' ', 2)
    if (pid !== undefined && identity !== undefined && (await processIdentity(Number(pid))) === identity) {
      throw new EmbeddedPostgresError('in_use', `the data directory is already in use by process ${pid} (${path})`)
    }
    await rm(path, { force: true })
  } finally {
    await rmdir(turn)
  }
}

async function releaseOwnerLock(path: string, own: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => null)) === own) await rm(path, { force: true })
}

// False when it exists already.
async function isDone(making: Promise<void>): Promise<boolean> {
  return making.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
      throw error
    },
  )
}
