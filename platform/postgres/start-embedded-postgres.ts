import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { takeOwnerLock } from '../owner-lock.ts'
import { stageForUnprivileged } from '../stage.ts'
import { type UnprivilegedUser, unprivilegedUser } from '../unprivileged-user.ts'
import { checkPassword, passwordMismatch } from './check-password.ts'
import { databasePassword, storedPassword } from './database-password.ts'
import { type EmbeddedHome, openEmbeddedHome } from './embedded-home.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import { DATABASE_NAME, initCluster, isComplete } from './init-cluster.ts'
import { embeddedBinaries, type PostgresBinaries } from './postgres-binaries.ts'
import { startServerProcess } from './server-process.ts'
import { serverArguments } from './server-settings.ts'
import { openSocketFolder, socketUrl } from './socket-folder.ts'
import { stopOrphan } from './stop-orphan.ts'
import { superviseServer } from './supervise-server.ts'

interface EmbeddedPostgresOptions {
  /** Created when missing. Contains the database, its password, and the record of other folders with parts of it. */
  dataDir: string
  log: EmbeddedLog
  /** Called with each step of the start that takes time. */
  progress?: (step: string) => void
  /**
   * As root: the account to run Postgres as on the first start, instead of `postgres` or `nobody`. Later starts keep
   * it.
   */
  user?: UnprivilegedUser
  /** As root: where the data goes when that account cannot enter `dataDir`. Default `/var/lib/tidemark`. */
  systemHomes?: string
}

interface EmbeddedPostgres {
  /**
   * The URL for a superuser, in the database `tidemark`. It uses a socket and stays the same when the server is
   * restarted.
   */
  url: string
  /** The folder of the data. */
  data: string
  /** Fast shutdown: running statements are cancelled. May be called more than once. */
  stop(): Promise<void>
}

/**
 * Starts Postgres 18 on `<dataDir>`, or throws an `EmbeddedPostgresError`.
 *
 * The server is restarted when it ends unexpectedly, stopped when this process ends (even by SIGKILL), and not
 * reachable by Ctrl-C. A second start on the same data directory is refused. What a killed start left is removed.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir)
  const packaged = await embeddedBinaries()
  await mkdir(dirname(dataDir), { recursive: true })
  await mkdir(dataDir, { mode: 0o700 }).catch(() => undefined)
  const lock = await takeOwnerLock(join(dataDir, 'embedded.lock'))
  try {
    const user = options.user ?? (await unprivilegedUser(['postgres', 'nobody']))
    const home = await openEmbeddedHome(dataDir, { user, systemHomes: options.systemHomes, log: options.log })
    const started = await startIn(home, { progress: () => {}, ...options, dataDir, packaged })
    return { ...started, stop: () => started.stop().then(lock.release) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

interface Start {
  dataDir: string
  packaged: PostgresBinaries
  log: EmbeddedLog
  progress: (step: string) => void
}

async function startIn(home: EmbeddedHome, { dataDir, packaged, log, progress }: Start): Promise<EmbeddedPostgres> {
  const onCopy = (folder: string) => progress(`Copying Postgres to ${folder}, where an unprivileged account can run it`)
  const staged = { folder: home.folder, name: packaged.version, user: home.user, onCopy }
  const binaries = { ...packaged, folder: await stageForUnprivileged(packaged.folder, staged) }
  const cluster = { binaries, data: join(home.folder, 'postgres'), user: home.user }
  const isMade = await isComplete(cluster)
  const password = isMade ? await storedPassword(dataDir) : await databasePassword(dataDir)
  if (password === null) throw passwordMismatch({ dataDir, data: cluster.data })
  await stopOrphan(cluster.data, log)
  if (!isMade) {
    progress(`Creating the database in ${cluster.data}`)
    await initCluster(cluster, password, true)
  }
  progress('Starting Postgres')
  const socket = await openSocketFolder(home)
  try {
    const args = serverArguments(cluster, socket.path)
    const server = await superviseServer(() => startServerProcess(cluster, args, log), log)
    const url = socketUrl({ folder: socket.path, password, database: DATABASE_NAME })
    try {
      await checkPassword(url, { dataDir, data: cluster.data })
    } catch (error) {
      await server.stop()
      throw error
    }
    return { url, data: cluster.data, stop: () => server.stop().then(socket.remove) }
  } catch (error) {
    await socket.remove()
    throw error
  }
}
