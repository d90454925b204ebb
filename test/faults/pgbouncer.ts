import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unprivilegedUser } from '../../platform/unprivileged-user.ts'
import { STARTUP_PARAMETERS } from '../../store/db/connection-fault.ts'
import { freePort } from '../support/network/free-port.ts'
import { until } from '../support/run/until.ts'

interface PgBouncer extends AsyncDisposable {
  /** The database of `url`, through the pooler. */
  readonly url: string
  /** Kills it, and starts it again on the same port. */
  restart(): Promise<void>
}

interface PgBouncerOptions {
  readonly mode: 'session' | 'transaction'
  /** Connections to the server for each user of each database. */
  readonly poolSize: number
  /** Parameters of connections that it drops. Default: those that it has to. */
  readonly ignores?: readonly string[]
}

/** Starts PgBouncer before the database of a superuser's address. The settings are those of docs/postgres.md. */
export async function startPgBouncer(
  url: string,
  { mode, poolSize, ignores = STARTUP_PARAMETERS }: PgBouncerOptions,
): Promise<PgBouncer> {
  const server = new URL(url)
  const [port, user, folder] = await Promise.all([
    freePort(),
    unprivilegedUser(['postgres', 'nobody']),
    mkdtemp(join(tmpdir(), 'tidemark-pgbouncer-')),
  ])
  const superuser = decodeURIComponent(server.username)
  const files = { settings: join(folder, 'pgbouncer.ini'), users: join(folder, 'users.txt') }
  await writeFile(files.users, `"${superuser}" "${decodeURIComponent(server.password)}"\n`)
  await writeFile(
    files.settings,
    `[databases]
* = host=${decodeURIComponent(server.hostname)} port=${server.port || 5432} auth_user=${superuser}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${files.users}
auth_query = select usename, passwd from pg_shadow where usename = $1
pool_mode = ${mode}
default_pool_size = ${poolSize}
max_client_conn = 500
ignore_startup_parameters = ${ignores.join(', ')}
`,
  )
  if (user) for (const path of [folder, ...Object.values(files)]) await chown(path, user.uid, user.gid)

  async function start(): Promise<ChildProcess> {
    const child = spawn('pgbouncer', ['--quiet', files.settings], { stdio: 'ignore', ...user })
    await until(() => answers(port), Boolean)
    return child
  }
  async function stop(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  let child = await start()
  const pooled = new URL(url)
  pooled.hostname = '127.0.0.1'
  pooled.port = String(port)
  return {
    url: pooled.href,
    async restart() {
      await stop(child)
      child = await start()
    },
    async [Symbol.asyncDispose]() {
      await stop(child)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
