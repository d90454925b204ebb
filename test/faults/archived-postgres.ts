import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Cluster, initCluster } from '../../platform/postgres/init-cluster.ts'
import type { PostgresBinaries } from '../../platform/postgres/postgres-binaries.ts'
import { startServerProcess } from '../../platform/postgres/server-process.ts'
import { serverArguments } from '../../platform/postgres/server-settings.ts'
import { socketUrl } from '../../platform/postgres/socket-folder.ts'
import { runProgram } from '../../platform/run-program.ts'
import { makePrivateFolder } from '../../platform/stage.ts'
import { unprivilegedUser } from '../../platform/unprivileged-user.ts'
import { TEST_FOLDER_PREFIX } from '../support/database/test-server.ts'
import { until } from '../support/run/until.ts'

/** A Postgres that archives its write-ahead log, as a server with backups to a point in time does. */
interface ArchivedPostgres extends AsyncDisposable {
  /** Of the superuser. It stays the same when the server is restored. */
  readonly url: string
  /** Copies the whole server while it runs. */
  backUp(): Promise<void>
  /** Throws the data away, and makes them as they were at this time from the copy and the archive. */
  restore(time: string): Promise<void>
}

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const PASSWORD = 'throwaway'

/** The statements, settings and commands are those of docs/postgres.md. */
export async function startArchivedPostgres(binaries: PostgresBinaries): Promise<ArchivedPostgres> {
  const user = await unprivilegedUser(['postgres', 'nobody'])
  const folder = await mkdtemp(join(tmpdir(), `${TEST_FOLDER_PREFIX}${process.pid}-`))
  await chmod(folder, 0o711)
  const own = join(folder, 'own')
  const [run, archive, copy] = [join(own, 'run'), join(own, 'archive'), join(own, 'copy')]
  for (const path of [own, run, archive]) await makePrivateFolder(path, user)
  const cluster: Cluster = { binaries, data: join(own, 'data'), user }
  await initCluster(cluster, PASSWORD, false)
  const url = socketUrl({ folder: run, password: PASSWORD, database: 'tidemark' })
  const start = (settings: Readonly<Record<string, string>>) =>
    startServerProcess(
      cluster,
      serverArguments(cluster, run, {
        fsync: 'off',
        max_connections: '100',
        wal_level: 'replica',
        archive_mode: 'on',
        archive_command: `cp %p ${archive}/%f`,
        ...settings,
      }),
      QUIET,
    )
  let server = await start({})

  /** Everything that was written is in the archive. */
  async function archiveAll(): Promise<void> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name')
    await until(
      () => client.query<{ name: string | null }>('select last_archived_wal as name from pg_stat_archiver'),
      (found) => (found.rows[0]?.name ?? '') >= (rows[0]?.name ?? ''),
    )
    await client.end()
  }

  return {
    url,
    async backUp() {
      const at = `host=${run} user=tidemark password=${PASSWORD} dbname=tidemark`
      const args = ['--pgdata', copy, '--checkpoint=fast', '--wal-method=fetch', '--no-sync', '--dbname', at]
      const done = await runProgram({ program: join(binaries.folder, 'bin/pg_basebackup'), args, user })
      if (!done.ok) throw new Error(done.output)
    },
    async restore(time) {
      await archiveAll()
      await server.stop()
      await rm(cluster.data, { recursive: true })
      await rename(copy, cluster.data)
      await writeFile(join(cluster.data, 'recovery.signal'), '')
      server = await start({
        restore_command: `cp ${archive}/%f %p`,
        recovery_target_time: time,
        recovery_target_action: 'promote',
      })
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
