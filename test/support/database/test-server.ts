import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddedLog } from '../../../platform/postgres/embedded-log.ts'
import { initCluster } from '../../../platform/postgres/init-cluster.ts'
import { embeddedBinaries, type PostgresBinaries } from '../../../platform/postgres/postgres-binaries.ts'
import { startServerProcess } from '../../../platform/postgres/server-process.ts'
import { serverArguments } from '../../../platform/postgres/server-settings.ts'
import { socketUrl } from '../../../platform/postgres/socket-folder.ts'
import { makePrivateFolder, stageForUnprivileged } from '../../../platform/stage.ts'
import { unprivilegedUser } from '../../../platform/unprivileged-user.ts'

/**
 * A throwaway server is thrown away when the machine fails, so nothing waits for the disk. Transactions behave as they
 * do elsewhere.
 */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', autovacuum_naptime: '1h', max_connections: '300' }
/** Followed by the pid of the run that made the folder; one whose run is gone is removed by the next. */
export const TEST_FOLDER_PREFIX = 'tidemark-test-'
/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
/** What the data of several runs at once may take there. A container has 64 MB, where its data stay on the disk. */
const MEMORY_BYTES = 4 * 1024 ** 3
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
  const folder = await makeFolder(tmpdir())
  const dataFolder = (await hasRoom(MEMORY)) ? await makeFolder(MEMORY) : folder
  const user = await unprivilegedUser(['postgres', 'nobody'])
  const found = binaries ?? (await embeddedBinaries())
  const programs = await stageForUnprivileged(found.folder, { folder, name: found.version, user })
  const cluster = { binaries: { ...found, folder: programs }, data: join(dataFolder, 'data'), user }
  const password = 'throwaway'
  await initCluster(cluster, password, false)
  await makePrivateFolder(join(folder, 'run'), user)
  const server = await startServerProcess(cluster, serverArguments(cluster, join(folder, 'run'), SETTINGS), QUIET)
  return {
    url: socketUrl({ folder: join(folder, 'run'), password, database: 'postgres' }),
    async stop() {
      await server.stop()
      for (const path of [dataFolder, folder]) await rm(path, { recursive: true, force: true })
    },
  }
}

/** Makes a folder that other accounts can pass through. */
async function makeFolder(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, `${TEST_FOLDER_PREFIX}${process.pid}-`))
  await chmod(folder, 0o711)
  return folder
}

/**
 * Returns whether data may be in memory. A run makes and drops a few hundred databases, each of many files: on a disk
 * that takes 85 to 220 ms of processor time for each of them, in memory 40 ms.
 */
async function hasRoom(path: string): Promise<boolean> {
  const found = await statfs(path).catch(() => null)
  const free = found === null ? 0 : found.bavail * found.bsize
  return Math.min(free, process.availableMemory()) >= MEMORY_BYTES
}

// What a killed run could not remove: its server ended with it, its folder did not.
async function removeLeftovers(): Promise<void> {
  for (const parent of [tmpdir(), MEMORY])
    for (const name of await readdir(parent).catch(() => [])) {
      const pid = name.startsWith(TEST_FOLDER_PREFIX)
        ? Number(name.slice(TEST_FOLDER_PREFIX.length).split('-')[0])
        : Number.NaN
      if (Number.isInteger(pid) && !isAlive(pid)) await rm(join(parent, name), { recursive: true, force: true })
    }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
