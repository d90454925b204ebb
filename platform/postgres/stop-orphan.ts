import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sleep } from '../../concurrency/loops/sleep.ts'
import { processCommand, processIdentity } from '../process-identity.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'

const POLL_MS = 20
const FAST_MS = 20_000
const IMMEDIATE_MS = 10_000

/**
 * Stops the server that a killed process of Tidemark left running on `data`. Call it only with the owner lock: then no
 * living process of Tidemark uses that server.
 *
 * The server is stopped, not taken over: a server that is not a child process could neither be watched nor restarted,
 * and its log would be lost. The killed process has no connections left, so nothing is interrupted.
 *
 * The file may name a living, unrelated process (as after a restart of the machine) or a zombie. It would keep Postgres
 * from starting, so it is removed. That is safe: Postgres also refuses to start while a child of the old server still
 * uses its shared memory.
 */
export async function stopOrphan(data: string, log: EmbeddedLog): Promise<void> {
  const file = join(data, 'postmaster.pid')
  const first = (await readFile(file, 'utf8').catch(() => '')).split('\n', 1)[0]
  const pid = Math.abs(Number.parseInt(first ?? '', 10))
  if (!Number.isInteger(pid) || pid === 0) return
  const identity = await processIdentity(pid)
  const command = identity === null ? null : await processCommand(pid)
  if (identity === null || command === null || !command.includes(` -D ${data} `)) {
    log.info(`removing ${file}, whose process ${pid} is not a server of this data`)
    await rm(file, { force: true })
    return
  }
  log.info(`stopping Postgres (process ${pid}), which an earlier process left running`)
  if (await signalAndWait(pid, identity, { signal: 'SIGINT', timeoutMs: FAST_MS })) return
  if (await signalAndWait(pid, identity, { signal: 'SIGQUIT', timeoutMs: IMMEDIATE_MS })) return
  throw new EmbeddedPostgresError('in_use', `Postgres (process ${pid}) still runs on ${data} and does not stop`)
}

async function signalAndWait(
  pid: number,
  identity: string,
  { signal, timeoutMs }: { signal: NodeJS.Signals; timeoutMs: number },
): Promise<boolean> {
  try {
    process.kill(pid, signal)
  } catch {
    // The process ended before the signal, or may not be stopped; the wait shows which.
  }
  // The end of a process that is not a child can only be polled.
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += POLL_MS) {
    if ((await processIdentity(pid)) !== identity) return true
    await sleep(POLL_MS)
  }
  return false
}
