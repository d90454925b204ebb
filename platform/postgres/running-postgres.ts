import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { sleep } from '../../concurrency/loops/sleep.ts'
import { storedPassword } from './database-password.ts'
import { existingDatabase } from './embedded-home.ts'
import { DATABASE_NAME } from './init-cluster.ts'
import { socketUrl } from './socket-folder.ts'

/** A server that another process runs. */
interface RunningPostgres {
  readonly url: string
  readonly data: string
}

const POLL_MS = 100
/** A server that is starting is waited for. */
const PATIENCE_MS = 15_000

/**
 * Returns the server that another process of this program runs on the data directory; null when there is none that is
 * ready soon. The lines of `postmaster.pid` are defined by Postgres: the fifth is the folder of the socket, the eighth
 * the state.
 */
export async function runningPostgres(dataDir: string, patienceMs = PATIENCE_MS): Promise<RunningPostgres | null> {
  const root = resolve(dataDir)
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += POLL_MS) {
    const data = await existingDatabase(root)
    const lines =
      data === null ? [] : (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
    const folder = lines[4]?.trim() ?? ''
    const password = await storedPassword(root)
    if (data !== null && password !== null && folder !== '' && lines[7]?.trim() === 'ready')
      return { url: socketUrl({ folder, password, database: DATABASE_NAME }), data }
    await sleep(POLL_MS)
  }
  return null
}
