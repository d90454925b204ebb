import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddedLog } from '../../platform/postgres/embedded-log.ts'
import { initCluster } from '../../platform/postgres/init-cluster.ts'
import { embeddedBinaries, type PostgresBinaries } from '../../platform/postgres/postgres-binaries.ts'
import { serverArguments } from '../../platform/postgres/server-settings.ts'
import { startServerProcess } from '../../platform/postgres/server-process.ts'
import { socketUrl } from '../../platform/postgres/socket-folder.ts'
import { makePrivateFolder, stageForUnprivileged } from '../../platform/stage.ts'
import { unprivilegedUser } from '../../platform/unprivileged-user.ts'

/**
 * A throwaway server is thrown away when the machine fails, so nothing waits for the disk. Transactions behave as they
 * do elsewhere.
 */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', autovacuum_naptime: '1h', max_connections: '300' }
/** Followed by the pid of the run that made the folder; one whose run is gone is removed by the next. */
export const TEST_FOLDER_PREFIX = 'tidemark-test-'
const QUIET: EmbeddedLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

export interface TestServer {
  /** Of a superuser, in the database `postgres`. */
  url: string
  stop(): Promise<void>
}

/** Where Debian's package `postgresql-<major>` puts its programs; null when they are not there. */
export function systemPostgres(major: number): PostgresBinaries | null {
  const folder = `/usr/lib/postgresql/${major}`
  return existsSync(join(folder, 'bin/initdb')) ? { folder, major, version: `postgres-${major}` } : null
}

/** Starts a Postgres on data of its own in a temporary folder, by default the embedded one; `stop` removes it. */
export async function startTestServer(binaries?: PostgresBinaries): Promise<TestServer> {
  await removeLeftovers()
  const folder = await mkdtemp(join(tmpdir(), `${TEST_FOLDER_PREFIX}${process.pid}-`))
  await chmod(folder, 0o711)
  const user = await unprivilegedUser(['postgres', 'nobody'])
  const found = binaries ?? (await embeddedBinaries())
  const programs = await stageForUnprivileged(found.folder, { folder, name: found.version, user })
  const cluster = { binaries: { ...found, folder: programs }, data: join(folder, 'data'), user }
  const password = 'throwaway'
  await initCluster(cluster, password, false)
  await makePrivateFolder(join(folder, 'run'), user)
  const server = await startServerProcess(cluster, serverArguments(cluster, join(folder, 'run'), SETTINGS), QUIET)
  return {
    url: socketUrl({ folder: join(folder, 'run'), password, database: 'postgres' }),
    stop: () => server.stop().then(() => rm(folder, { recursive: true, force: true })),
  }
}

// What a killed run could not remove: its server ended with it, its folder did not.
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(TEST_FOLDER_PREFIX)
      ? Number(name.slice(TEST_FOLDER_PREFIX.length).split('-')[0])
      : Number.NaN
    if (Number.isInteger(pid) && !isAlive(pid)) await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
