import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { EmbeddedLog } from './embedded-log.ts'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'
import { processCommand, processIdentity } from '../process-identity.ts'

const LOOK_EVERY_MS = 20
const FAST_MS = 20_000
const IMMEDIATE_MS = 10_000

/**
 * Deals with the server that a killed process of ours left behind on `data`. Call it only while holding the owner lock:
 * then no living process of ours wants that server.
 *
 * It is stopped, not adopted: a server that is not our child could neither be watched nor restarted, and its log would
 * be lost. Whoever was killed has no connection left to it, so nothing is cut off.
 *
 * A file that names a living stranger (as after a restart of the machine) or a dead process that its parent has not
 * buried yet would keep Postgres from starting, and is removed. That is safe: Postgres also refuses to start while a
 * child of the old server still has its memory.
 */
export async function stopOrphan(data: string, log: EmbeddedLog): Promise<void> {
  const file = join(data, 'postmaster.pid')
  const first = (await readFile(file, 'utf8').catch(() => '')).split('\n', 1)[0]
  const pid = Math.abs(Number.parseInt(first ?? '', 10))
  if (!Number.isInteger(pid) || pid === 0) return
  const identity = await processIdentity(pid)
  const command = identity === null ? null : await processCommand(pid)
  if (identity === null || command === null || !command.includes(` -D ${data} `)) {
    log.info(`removing ${file}, whose process ${pid} is no server of this data`)
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
    // Gone between the look and the signal, or not ours to stop; the wait tells which.
  }
  // The end of a process that is not our child can only be looked for.
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += LOOK_EVERY_MS) {
    if ((await processIdentity(pid)) !== identity) return true
    await pause(LOOK_EVERY_MS)
  }
  return false
}
