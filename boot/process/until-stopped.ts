import { type DestinationStream, destination } from 'pino'
import { createLogger, type Logger, type LogLevel, terminalLine } from '../../core/logger.ts'
import { forTerminal } from '../../core/printable.ts'
import { tell } from '../../platform/print.ts'
import type { Settings } from '../settings/read-config.ts'
import { countBuffersAsHeap } from './count-buffers-as-heap.ts'
import { releaseMemory } from './lean-start.ts'
import { createStack, type Stack } from './stack.ts'
import { untilSignal } from './until-signal.ts'

/** A stop takes no longer than this: clusters wait 30 seconds before they kill a process. */
const STOP_WITHIN_MS = 22_000

/** Says which step of a start begins, for a person who waits for it. */
export type Progress = (step: string) => void

/** Returns the progress on a terminal, a line a step, unless `level` is above info. Elsewhere the steps are logged. */
export const progressOf = (log: Logger, level: LogLevel): Progress =>
  process.stderr.isTTY && ['trace', 'debug', 'info'].includes(level)
    ? (step) => tell(`${step} …\n`)
    : (step) => log.info(step)

/**
 * Lines wait for others this long, or until they fill this many bytes. A line that is written alone costs a system
 * call.
 */
const LINES_WAIT_MS = 100
const LINES_BYTES = 4_096

/** Returns where the log goes: JSON on standard output, on a terminal as a person reads it. */
function logOutput(): DestinationStream {
  if (process.stdout.isTTY) return { write: (line) => void process.stdout.write(forTerminal(terminalLine(line))) }
  const output = destination({ dest: 1, sync: true, minLength: LINES_BYTES, periodicFlush: LINES_WAIT_MS })
  process.once('exit', () => output.flushSync())
  return output
}

/** After this time a start has done what it does at once, such as the first claims. */
const AT_REST_MS = 3_000

/** The context of every long-running process. */
export interface ProcessContext {
  readonly log: Logger
  readonly progress: Progress
  readonly stack: Stack
  /** Aborted when the process is to stop. */
  readonly stopping: AbortSignal
  /** Ends the process: with code 0, or with the code of the error. A signal does the same. */
  end(why: string | Error): void
}

/**
 * Starts the parts that `start` starts, waits for the end, and stops everything in the opposite order. Rejects with the
 * error that ended the process.
 */
export async function untilStopped(
  settings: Settings,
  start: (context: ProcessContext) => Promise<void>,
): Promise<void> {
  countBuffersAsHeap()
  const log = createLogger(settings.TIDEMARK_LOG_LEVEL, logOutput())
  const stack = createStack(log)
  const stopping = new AbortController()
  const end = (why: string | Error) => stopping.abort(why)
  if (settings.ignored.length > 0)
    log.info({ names: settings.ignored }, 'these variables are not read: Kubernetes set them for a Service')
  void untilSignal().then(end)
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  try {
    await start({ log, progress: progressOf(log, settings.TIDEMARK_LOG_LEVEL), stack, stopping: stopping.signal, end })
    setTimeout(releaseMemory, AT_REST_MS).unref()
    await stopped
    const why: unknown = stopping.signal.reason
    log.info({ why: why instanceof Error ? why.message : why }, 'draining')
  } finally {
    await stack.unwind(STOP_WITHIN_MS)
  }
  log.info('stopped')
  // Everything is closed and written. If something still keeps the process alive, it is a bug, and a person should not
  // have to kill the process.
  setTimeout(() => process.exit(), 1_000).unref()
  if (stopping.signal.reason instanceof Error) throw stopping.signal.reason
}
