import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { EmbeddedLog } from '../../../platform/postgres/embedded-log.ts'
import { initCluster } from '../../../platform/postgres/init-cluster.ts'
import { embeddedBinaries } from '../../../platform/postgres/postgres-binaries.ts'
import { startServerProcess, type ServerProcess } from '../../../platform/postgres/server-process.ts'
import { serverArguments } from '../../../platform/postgres/server-settings.ts'
import { makePrivateFolder, stageForUnprivileged } from '../../../platform/stage.ts'
import { unprivilegedUser } from '../../../platform/unprivileged-user.ts'
import { migrate } from '../../../store/db/migrate.ts'
import { freePort } from '../network/free-port.ts'
import { TEST_FOLDER_PREFIX } from './test-server.ts'

/** A Postgres on TCP that a test kills, starts again and starves. */
export interface BreakablePostgres extends AsyncDisposable {
  /** Of a superuser, in a migrated database. */
  readonly url: string
  /** kill -9 of the server; its backends end by themselves. */
  kill(): Promise<void>
  /** As `pg_ctl stop -m immediate`. */
  stopAtOnce(): Promise<void>
  start(): Promise<void>
  /** It does not run: stopped, or it has given itself up. */
  readonly hasEnded: boolean
}

interface BreakableOptions {
  /**
   * A file system of its own for the tables or for the write-ahead log; the other is in a temporary folder, as is all
   * without one.
   */
  readonly mount?: string
  readonly onMount?: 'tables' | 'log'
  readonly settings?: Readonly<Record<string, string>>
}

const QUIET: EmbeddedLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
/** A machine that fails is not what is tested: nothing need reach the disk. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  listen_addresses: '127.0.0.1',
  max_connections: '60',
  shared_buffers: '32MB',
}
const START_TRIES = 20

export async function startBreakablePostgres(options: BreakableOptions = {}): Promise<BreakablePostgres> {
  const folder = await mkdtemp(join(tmpdir(), `${TEST_FOLDER_PREFIX}${process.pid}-`))
  await chmod(folder, 0o711)
  const { mount = folder, onMount = 'tables' } = options
  const user = await unprivilegedUser(['postgres', 'nobody'])
  const found = await embeddedBinaries()
  const programs = await stageForUnprivileged(found.folder, { folder, name: found.version, user })
  const cluster = {
    binaries: { ...found, folder: programs },
    data: join(onMount === 'tables' ? mount : folder, 'data'),
    user,
  }
  const password = 'throwaway'
  await initCluster(cluster, password, false)
  if (mount !== folder) await moveLog(cluster.data, onMount === 'log' ? mount : folder)
  await makePrivateFolder(join(folder, 'run'), user)
  const port = await freePort()
  const settings = { ...SETTINGS, port: String(port), ...options.settings }
  const args = serverArguments(cluster, join(folder, 'run'), settings)
  let server: ServerProcess | null = null

  async function start(): Promise<void> {
    // For a moment after a kill, backends still hold the shared memory of the dead server.
    for (let tries = 1; ; tries++)
      try {
        const started = await startServerProcess(cluster, args, QUIET)
        server = started
        void started.ended.then(() => server === started && (server = null))
        return
      } catch (error) {
        if (tries === START_TRIES) throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server === null) return
    const { pid, ended } = server
    process.kill(pid, signal)
    await ended
    server = null
  }

  await start()
  const url = `postgresql://tidemark:${password}@127.0.0.1:${port}/tidemark`
  await migrate(url)
  return {
    url,
    kill: () => end('SIGKILL'),
    stopAtOnce: () => end('SIGQUIT'),
    start,
    get hasEnded() {
      return server === null
    },
    async [Symbol.asyncDispose]() {
      await end('SIGQUIT')
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

/** As `initdb --waldir` would have it. */
async function moveLog(data: string, to: string): Promise<void> {
  const log = join(data, 'pg_wal')
  const elsewhere = join(to, 'pg_wal')
  // Owners and all, onto another file system.
  await promisify(execFile)('cp', ['-a', log, elsewhere])
  await rm(log, { recursive: true })
  await symlink(elsewhere, log)
}
