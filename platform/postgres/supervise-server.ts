import { createBackoff } from '../../concurrency/loops/retry.ts'
import { sleep } from '../../concurrency/loops/sleep.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import type { ServerProcess } from './server-process.ts'

const DELAYS = { firstMs: 100, longestMs: 5_000 }

interface SupervisedServer {
  stop(): Promise<void>
}

/**
 * Keeps a server running:
 *
 *     running ──unexpected end──▶ waiting ──delay──▶ starting ──▶ running
 *        │                          │                  │  └─fails──▶ waiting, twice as long, 5 s at most
 *        └──────── stop() ──────────┴──────────────────┘──▶ stopped
 *
 * The URL stays the same after a restart, so connection pools reconnect by themselves.
 */
export async function superviseServer(
  start: () => Promise<ServerProcess>,
  log: EmbeddedLog,
): Promise<SupervisedServer> {
  const stopping = new AbortController()
  // A server that ended in its first second is started once more.
  const first = await start().catch(() => start())
  const finished = keepRunning({ start, log, stopping: stopping.signal }, first)
  return {
    stop: () => {
      stopping.abort()
      return finished
    },
  }
}

interface Watch {
  start: () => Promise<ServerProcess>
  log: EmbeddedLog
  stopping: AbortSignal
}

async function keepRunning(watch: Watch, first: ServerProcess): Promise<void> {
  const stopped = new Promise<null>((resolve) => {
    watch.stopping.addEventListener('abort', () => resolve(null), { once: true })
  })
  for (let server: ServerProcess | null = first; server !== null;) {
    const reason: string | null = await Promise.race([server.ended, stopped])
    if (reason === null) return server.stop()
    watch.log.error(`Postgres ended unexpectedly (${reason}); restarting it`)
    server = await restart(watch)
  }
}

async function restart({ start, log, stopping }: Watch): Promise<ServerProcess | null> {
  for (const delays = createBackoff(DELAYS); ;) {
    await sleep(delays.next(), stopping)
    if (stopping.aborted) return null
    try {
      return await start()
    } catch (error) {
      log.error(error instanceof Error ? error.message : String(error))
    }
  }
}
