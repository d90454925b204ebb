import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ProgramRun, runProgram } from '../run-program.ts'
import { makePrivateFolder } from '../stage.ts'
import type { UnprivilegedUser } from '../unprivileged-user.ts'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'

/** The superuser of an embedded server, and the database that is created in it. */
export const DATABASE_NAME = 'tidemark'

export interface Cluster {
  binaries: PostgresBinaries
  /** Postgres' own data directory. */
  data: string
  user: UnprivilegedUser | null
}

/**
 * Creates the files of a server with one superuser, `tidemark`, and one database of the same name, unless they exist.
 *
 * The locale is Postgres' built-in C.UTF-8 (15 has none: the system's), so that sorting never depends on what the
 * machine has installed.
 */
export async function initCluster(cluster: Cluster, password: string, sync: boolean): Promise<void> {
  if (await isComplete(cluster)) return
  const draft = `${cluster.data}.new`
  const passwordFile = join(dirname(draft), 'password.new')
  await rm(draft, { recursive: true, force: true })
  await makePrivateFolder(draft, cluster.user)
  try {
    await rm(passwordFile, { force: true })
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' })
    if (cluster.user !== null) await chown(passwordFile, cluster.user.uid, cluster.user.gid)
    await run(initdb(cluster, { draft, passwordFile, sync }))
    // In single-user mode, so that the renamed folder is a complete server.
    const args = ['--single', '-D', draft, ...(sync ? [] : ['-F']), 'postgres']
    await run({
      program: join(cluster.binaries.folder, 'bin/postgres'),
      args,
      user: cluster.user,
      input: `CREATE DATABASE ${DATABASE_NAME}\n`,
    })
  } finally {
    await rm(passwordFile, { force: true })
  }
  await rename(draft, cluster.data)
}

/** Returns whether the files exist. Throws an EmbeddedPostgresError when they are of another version. */
export async function isComplete({ binaries, data }: Cluster): Promise<boolean> {
  const found = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => null)
  if (found === null) return false
  if (found.trim() === String(binaries.major)) return true
  throw new EmbeddedPostgresError(
    'unusable_data',
    `${data} was made by Postgres ${found.trim()}, this is ${binaries.major}: dump it with that version, or set ` +
      `DATABASE_URL`,
  )
}

interface Draft {
  draft: string
  passwordFile: string
  sync: boolean
}

function initdb({ binaries, user }: Cluster, { draft, passwordFile, sync }: Draft): ProgramRun {
  const locale =
    binaries.major >= 17
      ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
      : ['--locale=C.UTF-8']
  const args = [
    `--pgdata=${draft}`,
    `--username=${DATABASE_NAME}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...locale,
    '--no-instructions',
    ...(sync ? [] : ['--no-sync']),
  ]
  return { program: join(binaries.folder, 'bin/initdb'), args, user }
}

async function run(program: ProgramRun): Promise<void> {
  const result = await runProgram(program)
  if (!result.ok) throw new EmbeddedPostgresError('failed', `${program.program} failed: ${result.output.trim()}`)
}
