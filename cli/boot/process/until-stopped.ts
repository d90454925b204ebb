import { createLogger, type Logger } from '../../../core/logger.ts'
import type { Settings } from '../settings/read-config.ts'
import { createStack, type Stack } from './stack.ts'
import { untilSignal } from './until-signal.ts'

/** A stop takes no longer than this: 30 seconds are what clusters give before they kill. */
const STOP_WITHIN_MS = 22_000

/** What every long-running process has, whatever it runs. */
export interface ProcessContext {
  readonly log: Logger
  readonly stack: Stack
  /** Aborted when it is to stop. */
  readonly stopping: AbortSignal
  /** Ends the process: with code 0, or as the error says. A signal does the same. */
  end(why: string | Error): void
}

/**
 * Starts what `start` starts, waits until it is to end, stops all in the opposite order. Rejects with the error that
 * ended it.
 */
export async function untilStopped(
  settings: Settings,
  start: (context: ProcessContext) => Promise<void>,
): Promise<void> {
  const log = createLogger(settings.TIDEMARK_LOG_LEVEL)
  const stack = createStack(log)
  const stopping = new AbortController()
  const end = (why: string | Error) => stopping.abort(why)
  void untilSignal().then(end)
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  try {
    await start({ log, stack, stopping: stopping.signal, end })
    await stopped
    const why: unknown = stopping.signal.reason
    log.info({ why: why instanceof Error ? why.message : why }, 'draining')
  } finally {
    await stack.unwind(STOP_WITHIN_MS)
  }
  log.info('stopped')
  // All is closed and written. What still keeps the process alive is at fault, and nobody should have to kill it.
  setTimeout(() => process.exit(), 1_000).unref()
  if (stopping.signal.reason instanceof Error) throw stopping.signal.reason
}
