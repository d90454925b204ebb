import { type DestinationStream, destination } from 'pino'
import { journalLine } from '../../core/journal-line.ts'
import { createLogger, type Logger, type LogLevel, terminalLine } from '../../core/logger.ts'
import { forTerminal } from '../../core/printable.ts'
import { isJournal } from '../../platform/is-journal.ts'
import { tell } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import type { Settings } from '../settings/read-config.ts'
import { rereadSecrets } from '../settings/reread-secrets.ts'
import { countBuffersAsHeap } from './count-buffers-as-heap.ts'
import { releaseMemory } from './lean-start.ts'
import { createReloads, type Reloads } from './reloads.ts'
import { createStack, type Stack } from './stack.ts'
import { keepWatchdogQuiet, supervisorOf } from './supervised.ts'
import { untilSignal } from './until-signal.ts'

/** A stop takes no longer than this: clusters wait 30 seconds before they kill a process. */
const STOP_WITHIN_MS = 22_000

/** Says which step of a start begins, for a person who waits for it. */
export type Progress = (step: string) => void

/** Returns the progress on a terminal, a line a step, unless `level` is above info. Elsewhere the steps are logged. */
export const progressOf = (io: Pick<ProcessIo, 'stderr'>, log: Logger, level: LogLevel): Progress =>
  io.stderr.isTTY && ['trace', 'debug', 'info'].includes(level)
    ? (step) => tell(io, `${step} …\n`)
    : (step) => log.info(step)

/**
 * Lines wait for others this long, or until they fill this many bytes. A line that is written alone costs a system
 * call.
 */
const LINES_WAIT_MS = 100
const LINES_BYTES = 4_096

/**
 * Returns where the log goes: JSON on standard output, with the priorities of journald where that reads it. A terminal
 * shows it as a person reads it.
 */
function logOutput(): DestinationStream {
  if (process.stdout.isTTY) return { write: (line) => void process.stdout.write(forTerminal(terminalLine(line))) }
  const output = destination({ dest: 1, sync: true, minLength: LINES_BYTES, periodicFlush: LINES_WAIT_MS })
  process.once('exit', () => output.flushSync())
  if (!isJournal(1, process.env['JOURNAL_STREAM'])) return output
  return { write: (line) => void output.write(journalLine(line)) }
}

/** After this time a start has done what it does at once, such as the first claims. */
const AT_REST_MS = 3_000

/** The context of every long-running process. */
export interface ProcessContext {
  readonly log: Logger
  readonly progress: Progress
  readonly stack: Stack
  /** Aborted when the process is to stop, with the name of the signal or another reason. */
  readonly stopping: AbortSignal
  /** What is read again at SIGHUP. */
  readonly reloads: Reloads
  /** The process has started, in words for a person: "Ready at http://…". systemd is told. */
  ready(status: string): void
  /** Ends the process: with code 0, or with the code of the error. A signal does the same. */
  end(why: string | Error): void
}

interface Lifetime {
  readonly settings: Settings
  /** Reads them again. */
  readonly read: () => Settings
}

/**
 * Starts the parts that `start` starts, waits for the end, and stops everything in the opposite order. Rejects with the
 * error that ended the process. Until then systemd is told what the process does, and SIGHUP reloads it.
 */
export async function untilStopped(
  { settings, read }: Lifetime,
  start: (context: ProcessContext) => Promise<void>,
): Promise<void> {
  countBuffersAsHeap()
  const log = createLogger(settings.TIDEMARK_LOG_LEVEL, logOutput())
  const stack = createStack(log)
  const stopping = new AbortController()
  const end = (why: string | Error) => stopping.abort(why)
  const service = supervisorOf(process.env, log)
  const reloads = createReloads({ log, service, stopping: stopping.signal })
  reloads.add({ name: 'the settings', again: async () => rereadSecrets(settings, read, log) })
  const ready = (status: string) => {
    if (stopping.signal.aborted) return
    reloads.ready(status)
    keepWatchdogQuiet(process.env, service, stack)
  }
  if (settings.ignored.length > 0)
    log.info({ names: settings.ignored }, 'these variables are not read: Kubernetes set them for a Service')
  void untilSignal().then(end)
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  try {
    const progress = progressOf(process, log, settings.TIDEMARK_LOG_LEVEL)
    await start({ log, progress, stack, stopping: stopping.signal, reloads, ready, end })
    setTimeout(releaseMemory, AT_REST_MS).unref()
    await stopped
    const why: unknown = stopping.signal.reason
    log.info({ why: why instanceof Error ? why.message : why }, 'draining')
    void service.stopping()
  } finally {
    await stack.unwind(STOP_WITHIN_MS)
  }
  log.info('stopped')
  // Everything is closed and written. If something still keeps the process alive, it is a bug, and a person should not
  // have to kill the process.
  setTimeout(() => process.exit(), 1_000).unref()
  if (stopping.signal.reason instanceof Error) throw stopping.signal.reason
}
