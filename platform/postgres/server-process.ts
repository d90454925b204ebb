import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { withTimeout } from '../../concurrency/loops/retry.ts'
import { CHILD_ENVIRONMENT } from '../run-program.ts'
import { watchOver } from '../watchman.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'
import type { Cluster } from './init-cluster.ts'
import { readServerLog } from './server-log.ts'

/** A crash recovery may have much to replay. After this long a start has failed. */
const START_MS = 120_000
/** The ways to stop, and how long each may take before the next, harsher one: fast, immediate, kill. */
const STOP_STEPS = [
  { signal: 'SIGINT', patienceMs: 20_000 },
  { signal: 'SIGQUIT', patienceMs: 5_000 },
  { signal: 'SIGKILL', patienceMs: 5_000 },
] as const

export interface ServerProcess {
  pid: number
  /** Resolves with the reason when the server has ended. */
  ended: Promise<string>
  stop(): Promise<void>
}

/**
 * Starts one `postgres` and waits until it accepts connections. It runs in its own session, so that Ctrl-C does not
 * reach it: this process finishes its work first and then stops the server.
 */
export async function startServerProcess(
  cluster: Cluster,
  args: readonly string[],
  log: EmbeddedLog,
): Promise<ServerProcess> {
  const child = spawn(join(cluster.binaries.folder, 'bin/postgres'), args, {
    cwd: '/',
    detached: true,
    env: CHILD_ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...cluster.user,
  })
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  child.on('error', (error) => resolve(error.message))
  child.on('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal))
  const endWatch = child.pid === undefined ? () => undefined : watchOver(child.pid, cluster.user)
  void ended.then(endWatch)
  const output = readServerLog(child.stderr, log)
  const failure = await withTimeout(
    Promise.race([output.ready.then(() => null), ended]),
    START_MS,
    () => 'it was not ready in time',
  )
  const stop = (): Promise<void> => stopInSteps((signal) => child.kill(signal), ended)
  if (failure === null) return { pid: child.pid ?? 0, ended, stop }
  await stop()
  throw new EmbeddedPostgresError('failed', `Postgres did not start (${failure}): ${output.tail()}`)
}

async function stopInSteps(kill: (signal: NodeJS.Signals) => boolean, ended: Promise<string>): Promise<void> {
  for (const { signal, patienceMs } of STOP_STEPS) {
    kill(signal)
    if ((await withTimeout(ended, patienceMs, () => null)) !== null) return
  }
}
