import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { sleep } from '../concurrency/loops/sleep.ts'
import { EmbeddedPostgresError } from './postgres/embedded-postgres-error.ts'
import { processIdentity } from './process-identity.ts'

interface OwnerLock {
  release(): Promise<void>
}

const POLL_MS = 5
/** Clearing takes less than a millisecond. A process that takes this long was killed. */
const ABANDONED_MS = 5_000
const PATIENCE_MS = 2 * ABANDONED_MS

/**
 * Takes the lock file `path` for this process. Throws `in_use` with the id of the process that has it. The lock of a
 * killed process is replaced.
 *
 * Postgres guards its data with its own file, but that file names the Postgres process. Only this lock shows whether a
 * running server belongs to a living `npm start` or was left by a killed one.
 */
export async function takeOwnerLock(path: string): Promise<OwnerLock> {
  const own = `${process.pid} ${(await processIdentity(process.pid)) ?? ''}\n`
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, own, { mode: 0o600 })
  try {
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
      // A link appears with its content or not at all, and never replaces another.
      if (await isCreated(link(draft, path))) return { release: () => releaseOwnerLock(path, own) }
      await clearStale(path)
    }
  } finally {
    await rm(draft, { force: true })
  }
  throw new EmbeddedPostgresError('in_use', `other processes keep taking ${path}`)
}

// Only one process at a time may clear, and it reads the lock again before it removes it. Otherwise a slow process
// would remove the lock that a faster one has just taken.
async function clearStale(path: string): Promise<void> {
  const clearing = `${path}.clearing`
  if (!(await isCreated(mkdir(clearing)))) {
    const since = await stat(clearing).catch(() => null)
    if (since !== null && Date.now() - since.mtimeMs > ABANDONED_MS) await rmdir(clearing).catch(() => undefined)
    await sleep(POLL_MS)
    return
  }
  try {
    const found = await readFile(path, 'utf8').catch(() => null)
    const [pid, identity] = (found ?? '').trim().split(' ', 2)
    if (pid !== undefined && identity !== undefined && (await processIdentity(Number(pid))) === identity) {
      throw new EmbeddedPostgresError(
        'in_use',
        `the data directory is already in use by process ${pid} (${path}); stop that process, or set ` +
          'TIDEMARK_DATA_DIR to another folder',
      )
    }
    await rm(path, { force: true })
  } finally {
    await rmdir(clearing)
  }
}

async function releaseOwnerLock(path: string, own: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => null)) === own) await rm(path, { force: true })
}

// Returns false when it exists already.
async function isCreated(making: Promise<void>): Promise<boolean> {
  return making.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
      throw error
    },
  )
}
