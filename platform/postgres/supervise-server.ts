import type { EmbeddedLog } from './embedded-log.ts'
import type { ServerProcess } from './server-process.ts'

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5_000

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
  const stopping = Promise.withResolvers<null>()
  const first = await start()
  const finished = keepRunning({ start, log, stopped: stopping.promise }, first)
  return {
    stop: () => {
      stopping.resolve(null)
      return finished
    },
  }
}

interface Watch {
  start: () => Promise<ServerProcess>
  log: EmbeddedLog
  stopped: Promise<null>
}

async function keepRunning(watch: Watch, first: ServerProcess): Promise<void> {
  for (let server: ServerProcess | null = first; server !== null;) {
    const reason: string | null = await Promise.race([server.ended, watch.stopped])
    if (reason === null) return server.stop()
    watch.log.error(`Postgres ended unexpectedly (${reason}); restarting it`)
    server = await restart(watch)
  }
}

async function restart({ start, log, stopped }: Watch): Promise<ServerProcess | null> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS)) {
    const delay = Promise.withResolvers<true>()
    const timer = setTimeout(() => delay.resolve(true), delayMs)
    const go = await Promise.race([delay.promise, stopped])
    clearTimeout(timer)
    if (go === null) return null
    try {
      return await start()
    } catch (error) {
      log.error(error instanceof Error ? error.message : String(error))
    }
  }
}
