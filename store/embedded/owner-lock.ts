import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'
import { processIdentity } from './process-identity.ts'

export interface OwnerLock {
  release(): Promise<void>
}

/**
 * Takes `path` for this process, or throws `in_use` naming the one that has it. What a killed process left behind is replaced.
 *
 * Postgres guards its data with a file of its own, but that file names Postgres, not us: only this one tells whether the server that still
 * runs belongs to a living `npm start` or was left over by a killed one.
 */
export async function takeOwnerLock(path: string): Promise<OwnerLock> {
  const own = `${process.pid} ${(await processIdentity(process.pid)) ?? ''}\n`
  const draft = `${path}.${randomUUID()}`
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await writeFile(draft, own, { mode: 0o600 })
    try {
      // A link appears with its content or not at all, and never replaces another.
      await link(draft, path)
      return { release: () => releaseOwnerLock(path, own) }
    } catch (error) {
      if (!isExisting(error)) throw error
      await removeStale(path, draft)
    } finally {
      await rm(draft, { force: true })
    }
  }
  throw new EmbeddedPostgresError('in_use', `${path} is being taken by other processes all the time`)
}

async function removeStale(path: string, aside: string): Promise<void> {
  const found = await readFile(path, 'utf8').catch(() => null)
  if (found === null) return
  const [pid, identity] = found.trim().split(' ', 2)
  if (pid !== undefined && identity !== undefined && (await processIdentity(Number(pid))) === identity) {
    throw new EmbeddedPostgresError('in_use', `the data directory is already in use by process ${pid} (${path})`)
  }
  // Two starts may both see the stale file. Moving it first shows whether what was moved is still what was judged.
  await rename(path, aside).catch(() => undefined)
  const moved = await readFile(aside, 'utf8').catch(() => found)
  if (moved !== found) await link(aside, path).catch(() => undefined)
}

async function releaseOwnerLock(path: string, own: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => null)) === own) await rm(path, { force: true })
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}
